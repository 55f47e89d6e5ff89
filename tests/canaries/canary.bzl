"""Programs with a planted bug each, for trying whether they are found."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def _plant(name, source):
    """The source with the bug, NAME_planted."""
    patch = "bugs/%s.patch" % name
    native.genrule(
        name = name + "_planted",
        testonly = True,
        srcs = [source, patch],
        outs = ["planted/%s/%s" % (name, source.replace("//", "").replace(":", "/"))],
        cmd = "cp $(location %s) $@ && chmod u+w $@ && patch --quiet --fuzz=0 $@ $(location %s)" % (source, patch),
        tags = ["manual"],
    )

def canary(name, source):
    """The program with the bug of bugs/NAME.patch in one of its sources. Built only when it is asked for.

    Args:
      name: the bug's name.
      source: label of the file that the patch changes; the other sources are the program's own.
    """
    _plant(name, source)

    # The linker takes what the planted source defines, and so not the object of the original from its library.
    cc_binary(
        name = name,
        testonly = True,
        srcs = ["//experiments:main.cc", name + "_planted"],
        tags = ["manual"],
        deps = ["//experiments/cli"],
    )

# Libraries that the tests of NAM-DB use, and others.
_NAM_DEPS = [
    "//rdma/base",
    "//rdma/seam",
    "//tests/support:test_fabric",
    "//tests/txn/nam:interrupted_core",
    "//tests/txn/nam:nam_cluster",
    "//tests/txn/nam:one_server",
    "//tests/txn/nam:saved_cluster",
    "//tests/txn/nam:steps",
    "//tests/workloads/run:set_parameter",
    "//third_party:gtest_main",
    "//txn",
    "//txn/nam",
    "//txn/nam/attempt",
    "//txn/nam/durability",
    "//txn/nam/execution",
    "//txn/nam/index",
    "//txn/nam/node",
    "//txn/nam/oracle",
    "//txn/nam/records",
    "//txn/nam/transaction",
    "//txn/nam/versions",
    "//txn/registry",
    "//txn/snapshot",
    "//workloads/registry",
    "//workloads/run",
]

def tested_canary(name, source, test, deps = _NAM_DEPS):
    """A test with the bug of bugs/NAME.patch in one of the sources: it has to fail.

    Args:
      name: the bug's name.
      source: label of the file that the patch changes.
      test: label of the test's source.
      deps: what the test uses.
    """
    _plant(name, source)
    cc_binary(
        name = name,
        testonly = True,
        srcs = [test, name + "_planted"],
        tags = ["manual"],
        deps = deps,
    )
    native.sh_test(
        name = name + "_test",
        srcs = ["fails.sh"],
        args = ["$(rootpath :%s)" % name, "--gtest_fail_fast"],
        data = [":" + name],
        tags = ["manual"],
    )
