"""Tests that run on both fabrics."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def fabric_test(name, size = "small", deps = [], visibility = [], **kwargs):
    """A test in simulated time of one source, which //tests/softroce runs on the device of a virtual machine, too.

    The source finds its fabric through //tests/support:test_fabric.

    Args:
      name: the test's name; its source is NAME.cc.
      size: of the simulated test.
      deps: further libraries.
      visibility: where else the test is used.
      **kwargs: further attributes of the cc_test.
    """
    cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"],
        visibility = ["//tests/softroce:__pkg__"] + visibility,
        deps = deps + [
            "//rdma",
            "//tests/support:test_fabric",
            "//third_party:gtest_main",
        ],
        **kwargs
    )
