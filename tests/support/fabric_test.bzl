"""Tests that run on both fabrics."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//tests/softroce:softroce.bzl", "softroce_test")

def fabric_test(name, size = "small", guest_timeout = "moderate", guest_cpus = 1, deps = [], **kwargs):
    """One source, two tests: NAME in simulated time, NAME_softroce on the device of a virtual machine.

    The source finds its fabric through //tests/support:test_fabric.

    Args:
      name: the test's name; its source is NAME.cc.
      size: of the simulated test.
      guest_timeout: of the other one, which runs on an emulated machine.
      guest_cpus: processors of that machine: 2 where threads have to run at the same time for what is tested.
      deps: further libraries.
      **kwargs: further attributes of the cc_test.
    """
    cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"],
        deps = deps + [
            "//rdma",
            "//tests/support:test_fabric",
            "//third_party:gtest_main",
        ],
        **kwargs
    )
    softroce_test(
        name = name + "_softroce",
        program = ":" + name,
        env = {"VERBENA_TEST_FABRIC": "verbs"},
        timeout = guest_timeout,
        cpus = guest_cpus,
    )
