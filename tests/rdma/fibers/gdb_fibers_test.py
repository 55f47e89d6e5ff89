#!/usr/bin/env python3
"""gdb's command `fibers` shows each fiber of a worker with its state, and where it waits; afterwards the program goes on as if nobody had
looked. Arguments: the program, the command's file."""

import re
import subprocess
import sys
import unittest

PROGRAM, COMMAND = sys.argv[1:3]


def session(*commands):
    """The words of gdb after commands, once the program has stopped among its fibers."""
    batch = ["gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "source " + COMMAND]
    for command in ("break look_around", "run") + commands:
        batch += ["-ex", command]
    done = subprocess.run(batch + [PROGRAM], check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


class Fibers(unittest.TestCase):
    """The fibers of the program, in the order in which they began."""

    def test_states_and_places(self):
        said = session("fibers")
        rows = re.findall(r"^fiber (\d+) +(.*?) *$", said, re.MULTILINE)
        self.assertEqual([number for number, _ in rows], ["0", "1", "2", "3"], said)
        self.assertRegex(rows[0][1], r"^waiting .*await_answer")
        self.assertRegex(rows[1][1], r"^sleeping until 5000 ns .*await_lock")
        self.assertEqual(rows[2][1], "running")
        self.assertEqual(rows[3][1], "ready")

    def test_a_scheduler_by_name(self):
        said = session("fibers 17", "frame function verbena::rdma::(anonymous namespace)::look_around", "fibers scheduler")
        self.assertEqual(said.count("await_answer"), 1, said)
        self.assertIn("17 is no FiberScheduler, WorkerThread or Worker", said)

    def test_the_program_goes_on(self):
        said = session("fibers", "bt 1", "continue")
        self.assertRegex(said, r"#0 .*look_around")
        self.assertIn("exited normally", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
