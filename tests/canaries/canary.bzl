"""Programs with a planted bug each, for trying whether they are found."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def canary(name, source):
    """The program with the bug of bugs/NAME.patch in one of its sources. Built only when it is asked for.

    Args:
      name: the bug's name.
      source: label of the file that the patch changes; the other sources are the program's own.
    """
    patch = "bugs/%s.patch" % name
    native.genrule(
        name = name + "_planted",
        testonly = True,
        srcs = [source, patch],
        outs = ["planted/%s/%s" % (name, source.replace("//", "").replace(":", "/"))],
        cmd = "cp $(location %s) $@ && chmod u+w $@ && patch --quiet --fuzz=0 $@ $(location %s)" % (source, patch),
        tags = ["manual"],
    )

    # The linker takes what the planted source defines, and so not the object of the original from its library.
    cc_binary(
        name = name,
        testonly = True,
        srcs = ["//experiments:main.cc", name + "_planted"],
        tags = ["manual"],
        deps = ["//experiments/cli"],
    )
