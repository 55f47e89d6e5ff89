#!/usr/bin/env python3
"""third_party/clangd/compile_commands.py makes of Bazel's actions what clang can use."""

import os
import sys
import unittest

# Runfiles are symbolic links into the source tree.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "third_party", "clangd"))
import compile_commands  # noqa: E402


def action(source, *options):
    return {"arguments": ["/usr/bin/gcc", *options, "-c", source, "-o", "bazel-out/" + source + ".o"]}


class CompileCommands(unittest.TestCase):
    def entries(self, *actions):
        return compile_commands.entries(actions, "/tree", lambda source: not source.startswith("bazel-out/"))

    def test_an_entry_has_directory_source_and_arguments(self):
        self.assertEqual(
            self.entries(action("a/b.cc", "-std=c++20", "-iquote", ".")),
            [{"directory": "/tree", "file": "a/b.cc", "arguments": ["/usr/bin/gcc", "-std=c++20", "-iquote", ".", "-c", "a/b.cc"]}],
        )

    def test_what_clang_cannot_use_is_left_out_with_its_value(self):
        only_gcc = ["-MD", "-MF", "a.d", "-frandom-seed=a.o", "-fpch-deps", "-include", "all.h", "-Winvalid-pch"]
        (entry,) = self.entries(action("a.cc", "-Wall", *only_gcc, "-O2"))
        self.assertEqual(entry["arguments"], ["/usr/bin/gcc", "-Wall", "-O2", "-c", "a.cc"])

    def test_sources_that_a_build_makes_are_left_out(self):
        self.assertEqual(self.entries(action("bazel-out/made.cc")), [])

    def test_each_source_has_one_entry_in_order(self):
        found = self.entries(action("b.cc", "-first"), action("a.cc"), action("b.cc", "-second"))
        self.assertEqual([entry["file"] for entry in found], ["a.cc", "b.cc"])
        self.assertIn("-first", found[1]["arguments"])


unittest.main()
