#!/usr/bin/env python3
"""Limits that a shell sets (ulimit): a file that must not grow, a small stack. One line says what they stopped, and nothing lies about."""

import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))
SHORT = ["--nodes", "3", "--threads", "2", "--duration", "100us", "--warmup", "20us"]
BENCH = ["bench", "read", "--nodes", "2", "--threads", "1", "--duration", "20us", "--warmup", "5us"]
UNLIMITED = resource.RLIM_INFINITY


class LimitsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(dir=os.environ["TEST_TMPDIR"])
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def start(self, *arguments, file_bytes=UNLIMITED, stack_bytes=UNLIMITED):
        def limit():
            for kind, most in ((resource.RLIMIT_FSIZE, file_bytes), (resource.RLIMIT_STACK, stack_bytes)):
                if most != UNLIMITED:
                    resource.setrlimit(kind, (most, most))

        return subprocess.run(
            [PROGRAM, *arguments],
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            preexec_fn=limit,
        )

    def files(self):
        return sorted(os.path.join(path, name)[len(self.directory) + 1 :] for path, _, names in os.walk(self.directory) for name in names)

    def expect_too_large(self, file, *arguments, file_bytes=1024):
        done = self.start(*arguments, file_bytes=file_bytes)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^verbena: (/\S*/)?%s: writing failed: File too large\n$" % re.escape(file))

    def test_a_result_file_that_must_not_grow(self):
        for option in ("--json", "--history", "--reached"):
            with self.subTest(option):
                file = "limited.jsonl" if option == "--history" else "limited"
                self.expect_too_large(file, "run", *SHORT, option, file, file_bytes=64)
                self.assertEqual(self.files(), [])
        for option in ("--json", "--trace"):
            with self.subTest(option):
                self.expect_too_large("limited", *BENCH, option, "limited")
                self.assertEqual(self.files(), [])
        self.expect_too_large("limited", "explain", "read", "--json", "limited")
        self.expect_too_large("limited", "hunt", "--seeds", "3", "--json", "limited")
        self.expect_too_large("limited", "hunt", "--seeds", "3", "--junit", "limited", file_bytes=64)
        self.assertEqual(self.files(), [])

    def test_a_file_that_was_there_stays_as_it_was(self):
        with open(os.path.join(self.directory, "limited"), "w", encoding="utf-8") as file:
            file.write("before\n")
        self.expect_too_large("limited", *BENCH, "--json", "limited")
        with open(os.path.join(self.directory, "limited"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "before\n")
        self.assertEqual(self.files(), ["limited"])

    def test_points_of_a_series(self):
        done = self.start(*BENCH, "--payload", "8,16", "--out", "series", file_bytes=1024)
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stderr.splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^verbena: .*series/\S+: writing failed: File too large$")
        self.assertEqual([file for file in self.files() if re.search(r"\.\w{6}$", file)], [])

    def test_a_small_stack(self):
        for kilobytes in (64, 128, 1000):
            with self.subTest(kilobytes):
                done = self.start("run", *SHORT, stack_bytes=kilobytes << 10)
                self.assertEqual(done.returncode, 2, done.stderr)
                told = "verbena: ulimit -s %d: the stack may not have more KiB; expected 1024 or more, or unlimited\n"
                self.assertEqual(done.stderr, told % kilobytes)

    def test_a_stack_that_is_just_enough(self):
        for arguments in (["run", *SHORT], [*BENCH, "--jobs", "2", "--payload", "8,16"], ["hunt", "--seeds", "4"]):
            with self.subTest(arguments[0]):
                done = self.start(*arguments, stack_bytes=1 << 20)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
