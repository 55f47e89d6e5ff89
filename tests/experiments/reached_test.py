#!/usr/bin/env python3
"""`run --reached`: which points of its code a run came to."""

import os
import subprocess
import sys
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))
FILE = os.path.join(os.environ["TEST_TMPDIR"], "points")
RUN = ["run", "--nodes", "3", "--threads", "1", "--coroutines", "4", "--workload", "stress", "--warmup", "0s", "--duration", "300us"]
REPEATED = "rpc: request repeated"


def start(*arguments):
    """The exit code and both outputs."""
    done = subprocess.run([PROGRAM, *RUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def reached(code, *arguments):
    """The points of a run that ends with this exit code."""
    if os.path.exists(FILE):
        os.remove(FILE)
    ended, _, error = start("--reached", FILE, *arguments)
    assert ended == code, error
    with open(FILE, encoding="utf-8") as file:
        return file.read().splitlines()


class ReachedTest(unittest.TestCase):
    def test_points_of_a_run(self):
        points = reached(0)
        self.assertEqual(points, sorted(set(points)))
        self.assertIn("nic: verbs.read", points)
        self.assertNotIn("nic: ud_losses", points)
        self.assertNotIn(REPEATED, points)
        self.assertIn("occ: lock by compare-and-swap finds it taken", reached(0, "--system", "one-sided"))
        self.assertIn("occ: lock by handler finds it taken", reached(0, "--system", "two-sided"))

    def test_losses(self):
        points = reached(0, "--system", "fasst", "--set", "fabric.ud_loss=0.05", "--set", "rdma.rpc_timeout=20us",
                         "--set", "rdma.rpc_ack_delay=5us")
        self.assertIn(REPEATED, points)
        self.assertIn("nic: ud_losses", points)

    def test_a_run_that_fails(self):
        lost = ["--system", "two-sided", "--set", "fabric.ud_loss=1", "--set", "rdma.rpc_retries=3"]
        self.assertIn(REPEATED, reached(3, *lost))

    def test_a_run_that_is_refused_leaves_the_file_as_it_was(self):
        for refused in (["--system", "nam", "--set", "nam.heartbeat=10us"], ["--system", "pilaf"], ["--replicas", "9"]):
            with open(FILE, "w", encoding="utf-8") as file:
                file.write("what was there\n")
            code, _, error = start("--reached", FILE, *refused)
            self.assertEqual(code, 2, error)
            with open(FILE, encoding="utf-8") as file:
                self.assertEqual(file.read(), "what was there\n", error)

    def test_points_change_nothing(self):
        arguments = ["--chaos", "--system", "fasst", "--json", "-"]
        digest = '"trace_digest"'
        digests = []
        for more in ([], ["--reached", FILE]):
            _, text, _ = start(*arguments, *more)
            digests.append([line for line in text.splitlines() if digest in line])
        self.assertEqual(len(digests[0]), 1)
        self.assertEqual(digests[0], digests[1])

    def test_bad_input(self):
        for arguments, why in (
            (["--reached", os.path.join(FILE, "none")], "cannot be written"),
            (["--reached", FILE, "--json", FILE], "--json writes the same file"),
            (["--reached", FILE, "--seed", "3,4"], "a single run"),
        ):
            code, _, error = start(*arguments)
            self.assertEqual(code, 2, error)
            self.assertIn("--reached", error)
            self.assertIn(why, error)


if __name__ == "__main__":
    unittest.main()
