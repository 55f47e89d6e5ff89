#!/usr/bin/env python3
"""Writes compile_commands.json for clangd and clang-tidy: how Bazel compiles each source of the tree. Nothing is built.

    third_party/clangd/compile_commands.py [BAZEL STARTUP OPTION...]
"""

import json
import os
import subprocess
import sys

# Options of gcc that clang does not know, or that name what only a build makes; those that take a value have it in the next argument.
ALONE = {
    "-MD",
    "-Winvalid-pch",
    "-Wno-free-nonheap-object",
    "-Wunused-but-set-parameter",
    "-fno-canonical-system-headers",
    "-fpch-deps",
}
WITH_VALUE = {"-MF", "-include", "-o"}
BEGINNINGS = ("-frandom-seed=",)


def for_clang(arguments):
    """The arguments of a compiler without what clang cannot use."""
    kept = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in WITH_VALUE:
            skip = True
        elif argument not in ALONE and not argument.startswith(BEGINNINGS):
            kept.append(argument)
    return kept


def entries(actions, root, in_tree):
    """A compilation database: one entry for each source that `in_tree` says is there, by the first action that compiles it."""
    found = {}
    for action in actions:
        arguments = action["arguments"]
        source = arguments[arguments.index("-c") + 1]
        if source not in found and in_tree(source):
            found[source] = {"directory": root, "file": source, "arguments": for_clang(arguments)}
    return [found[source] for source in sorted(found)]


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    query = ["aquery", 'mnemonic("CppCompile", //...)', "--output=jsonproto"]
    result = subprocess.run(["bazel", *sys.argv[1:], *query], cwd=root, check=False, stdout=subprocess.PIPE)
    if result.returncode != 0:
        return result.returncode

    def in_tree(source):
        return not source.startswith("bazel-out/") and os.path.exists(os.path.join(root, source))

    database = entries(json.loads(result.stdout)["actions"], root, in_tree)
    path = os.path.join(root, "compile_commands.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(database, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)
    print("%s: %d sources" % (path, len(database)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
