#!/usr/bin/env python3
"""Limits that a shell sets (ulimit): a file that must not grow, a small stack. One line says what they stopped, and nothing lies about."""

import re
import resource
import unittest

from starting import SHORT, StartingTest

BENCH = ["bench", "read", "--nodes", "2", "--threads", "1", "--duration", "20us", "--warmup", "5us"]
UNLIMITED = resource.RLIM_INFINITY


class LimitsTest(StartingTest):
    def start(self, *arguments, file_bytes=UNLIMITED, stack_bytes=UNLIMITED, **how):
        def limit():
            for kind, most in ((resource.RLIMIT_FSIZE, file_bytes), (resource.RLIMIT_STACK, stack_bytes)):
                if most != UNLIMITED:
                    resource.setrlimit(kind, (most, most))

        return super().start(*arguments, preexec_fn=limit, **how)

    def expect_too_large(self, file, *arguments, file_bytes=1024):
        done = self.start(*arguments, code=1, file_bytes=file_bytes)
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
        self.expect_too_large("limited", "hunt", "--seeds", "1", "--json", "limited", file_bytes=8 << 10)
        self.assertEqual(self.files(), [])

    def test_what_hunts_found_put_together(self):
        for seed in "1", "2":
            self.accept("hunt", "--seeds", seed + ".." + seed, "--json", seed)
        for option in "--json", "--junit":
            self.expect_too_large("limited", "hunt", "--merge", "1", "2", option, "limited", file_bytes=64)
            self.assertEqual(self.files(), ["1", "2"])

    def test_files_of_a_hunt_s_runs_are_no_failures_of_these(self):
        done = self.start("hunt", "--seeds", "3", "--json", "limited", code=1, file_bytes=1024)
        self.assertRegex(done.stderr, r"^verbena: /\S+/0\.points: writing failed: File too large\n$")
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), [])

    def test_a_file_that_was_there_stays_as_it_was(self):
        self.write("limited", "before\n")
        self.expect_too_large("limited", *BENCH, "--json", "limited")
        self.assertEqual(self.read("limited"), b"before\n")
        self.assertEqual(self.files(), ["limited"])

    def test_points_of_a_series(self):
        done = self.start(*BENCH, "--payload", "8,16", "--out", "series", code=1, file_bytes=1024)
        lines = done.stderr.splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^verbena: .*series/\S+: writing failed: File too large$")
        self.assertEqual([file for file in self.files() if re.search(r"\.\w{6}$", file)], [])

    def test_a_small_stack(self):
        for kilobytes in (64, 128, 1000):
            with self.subTest(kilobytes):
                done = self.start("run", *SHORT, code=2, stack_bytes=kilobytes << 10)
                told = "verbena: ulimit -s %d: the stack may not have more KiB; expected 1024 or more, or unlimited\n"
                self.assertEqual(done.stderr, told % kilobytes)

    def test_a_stack_that_is_just_enough(self):
        for arguments in (["run", *SHORT], [*BENCH, "--jobs", "2", "--payload", "8,16"], ["hunt", "--seeds", "4"]):
            with self.subTest(arguments[0]):
                self.accept(*arguments, stack_bytes=1 << 20)


if __name__ == "__main__":
    unittest.main()
