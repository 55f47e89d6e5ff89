#!/usr/bin/env python3
"""`verbena hunt`: random runs, what becomes of those that fail, and the exit codes that say so."""

import os
import re
import shlex
import subprocess
import sys
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))


def start(*arguments):
    """The exit code and both outputs."""
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def number(text, pattern):
    return int(re.search(pattern, text).group(1))


class HuntTest(unittest.TestCase):
    def test_finds_nothing_where_nothing_is_wrong(self):
        code, text, _ = start("hunt", "--seeds", "60", "--twice", "20")
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"(?m)^seeds +60 from 1 on, [\d.]+ a second; ")
        self.assertRegex(text, r"(?m)^failures +0$")
        self.assertGreater(number(text, r"(\d+) of these twice"), 3)
        self.assertEqual(number(text, r"(\d+) were run"), 60)
        self.assertRegex(text, r"(?m)^systems .*drtmh \d+")
        self.assertRegex(text, r"(?m)^workloads .*stress \d+")

    def test_tells_what_no_run_has_come_to(self):
        code, text, _ = start("hunt", "--seeds", "30", "--set", "rdma.rpc_transport=ud", "--set", "fabric.ud_loss=0.02")
        self.assertEqual(code, 0, text)
        missed = re.findall(r"(?m)^never reached +(.*)$", text)
        reached = number(text, r"(?m)^points +(\d+) of \d+ reached$")
        self.assertEqual(number(text, r"(?m)^points +\d+ of (\d+) reached$") - reached, len(missed))
        self.assertGreater(reached, 30)
        self.assertIn("rpc: message waits for room in a peer's ring", missed)
        self.assertNotIn("rpc: request repeated", missed)

    def test_a_failure_is_shrunk_and_can_be_repeated(self):
        # Whoever is so impatient takes an ordinary conflict for a livelock.
        code, text, _ = start("hunt", "--workload", "stress", "--set", "run.patience=10us", "--twice", "0")
        self.assertEqual(code, 6, text)
        seed = number(text, r"(?m)^stuck +seed (\d+): node \d+, worker \d+, coroutine \d+: a transaction has been tried for ")
        self.assertRegex(text, r"(?m)^failures +1$")
        lines = [re.search(r"(?m)^%s +verbena (.*)$" % name, text).group(1) for name in ("smallest", "as drawn")]
        self.assertLess(len(lines[0]), len(lines[1]))
        self.assertIn("--seed %d " % seed, lines[1])
        for line in lines:
            code, _, error = start(*shlex.split(line))
            self.assertEqual(code, 6, line)
            self.assertIn("last attempt was aborted by ", error)

    def test_goes_on_when_told_to(self):
        _, text, _ = start("hunt", "--seeds", "100", "--set", "run.patience=10us", "--go-on", "--no-shrink")
        failures = number(text, r"(?m)^failures +(\d+)$")
        self.assertGreater(failures, 10)
        self.assertEqual(len(re.findall(r"(?m)^stuck ", text)), failures)
        self.assertEqual(len(re.findall(r"(?m)^as drawn ", text)), failures)
        self.assertNotIn("smallest", text)

    def test_a_run_that_loses_all_its_messages_is_stuck(self):
        code, text, _ = start("hunt", "--seeds", "20", "--system", "fasst", "--set", "fabric.ud_loss=1",
                              "--set", "rdma.rpc_transport=ud", "--no-shrink")
        self.assertEqual(code, 6, text)

    def test_bad_input_is_refused(self):
        for arguments, why in (
            (["--set", "nodes=none"], "nodes none"),
            (["--set", "no.such=1"], "unknown key"),
            (["--workload", "smallbank", "--set", "workload.records=3"], "is a parameter of --workload stress"),
            (["--seeds", "0"], "expected a whole number from 1"),
            (["--for", "1us"], "expected a time from 1s"),
            (["--system", "none"], "--system none"),
            (["--set", "system=farm"], "--set system: a hunt takes those of --system"),
            (["--set", "seed=3"], "--set seed: each run of a hunt has its own"),
        ):
            code, _, error = start("hunt", *arguments)
            self.assertEqual(code, 2, error)
            self.assertIn(why, error)
            self.assertEqual(len(error.splitlines()), 1)

    def test_seeds_are_drawn_again_until_their_settings_go_together(self):
        # Systems that lock as they read cannot have it, nor can plans that do; of other systems some plan always can.
        code, text, _ = start("hunt", "--seeds", "40", "--set", "plan=execute=one-sided", "--twice", "0")
        self.assertEqual(code, 0, text)
        refused = number(text, r"(\d+) do not go together")
        self.assertEqual(number(text, r"(\d+) were run") + refused, 40)
        self.assertLess(refused, 20)
        self.assertNotRegex(text, r"(?m)^systems .*nam")

    def test_the_run_of_a_seed_that_was_drawn_again_is_the_same_by_itself(self):
        refusing = ["--set", "plan=execute=one-sided", "--set", "run.patience=10us", "--twice", "0", "--no-shrink"]
        _, text, _ = start("hunt", "--seeds", "60", "--go-on", *refusing)
        drawn = dict(re.findall(r"(?m)^stuck +seed (\d+): .*\n(?:.*\n)*?as drawn +(.*)$", text))
        self.assertGreater(len(drawn), 5)
        for seed, line in drawn.items():
            _, alone, _ = start("hunt", "--from", seed, "--seeds", "1", *refusing)
            self.assertIn(line, alone)

    def test_what_is_set_brings_along_what_it_needs(self):
        for setting in ("nodes=2", "fabric.chaos_meet=0.1"):
            code, text, _ = start("hunt", "--seeds", "5", "--set", setting, "--twice", "0")
            self.assertEqual(code, 0, text)
            self.assertEqual(number(text, r"(\d+) were run"), 5)

    def test_a_hunt_in_which_nothing_can_run_tells_why(self):
        code, text, error = start("hunt", "--seeds", "5", "--system", "drtmr", "--set", "plan=execute=one-sided,execute.locks=on")
        self.assertEqual(code, 2, text)
        self.assertIn("of 5 seeds none can be run; the last one: plan 'drtmr': execute.locks is on and phase execute is one-sided", error)
        self.assertEqual(len(error.splitlines()), 1)

    def test_ends_after_its_time(self):
        code, text, _ = start("hunt", "--seeds", "1000000", "--for", "1s")
        self.assertEqual(code, 0, text)
        self.assertLess(number(text, r"(?m)^seeds +(\d+) from"), 100000)


if __name__ == "__main__":
    unittest.main()
