"""Tests that try readers on inputs that were changed."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def fuzz_test(name, inputs, deps, env = {}, **kwargs):
    """A test of NAME.cc with as many inputs of each kind, always the same ones.

    Others are drawn by `--test_env=RC_PARAMS="seed=2 max_success=1000000"`, which replaces these.

    Args:
      name: the test's name.
      inputs: how many of each kind are tried.
      deps: further libraries.
      env: further variables of the environment.
      **kwargs: further attributes of the cc_test.
    """
    cc_test(
        name = name,
        size = "medium",
        srcs = [name + ".cc"],
        env = dict(env, RC_PARAMS = "seed=1 max_success=%d" % inputs),
        deps = deps + [
            "//tests/fuzz:mutations",
            "//third_party:gtest_main",
        ],
        **kwargs
    )
