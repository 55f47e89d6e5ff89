#!/usr/bin/env python3
"""A network of one's own, as a SimGrid platform, with a link that is down for a while: transactions go on over it, and are right.

Arguments: the program, the platform.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM, PLATFORM = sys.argv[1:3]
SHORT = "--nodes 4 --threads 2 --warmup 100us --duration 600us --verify".split()


def run(*arguments):
    """The program's words."""
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def committed(said):
    """Transactions that a run has measured."""
    return int(re.search(r"; (\d+) committed in", said).group(1))


class OwnTopology(unittest.TestCase):
    """Two racks and an uplink."""

    def test_an_uplink_that_fails_delays_transactions_and_breaks_none(self):
        said = run("run", *SHORT, "--platform", PLATFORM)
        self.assertIn("verification    passed", said)
        alone = os.path.join(os.environ["TEST_TMPDIR"], "no_outage.xml")
        with open(PLATFORM, encoding="utf-8") as file, open(alone, "w", encoding="utf-8") as copy:
            copy.write(file.read().replace(' state_file="uplink_states.txt"', ""))
        self.assertLess(committed(said), 0.7 * committed(run("run", *SHORT, "--platform", alone)))

    def test_where_nothing_goes_on_the_link_is_named(self):
        command = [PROGRAM, "run", "--nodes", "4", "--platform", PLATFORM, "--duration", "1ms"]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
        outage = "link uplink was down from 300us until 400us by the simulation's clock"
        self.assertEqual(ended.returncode, 5)
        self.assertRegex(ended.stdout, r"(?m)^bound by +outage: " + outage)
        self.assertIn("nothing completed in the 1.00 ms that were measured; " + outage, ended.stderr)

    def test_the_outage_is_the_same_each_time(self):
        here = os.path.join(os.environ["TEST_TMPDIR"], "copied")
        os.makedirs(here)
        for name in ("two_racks.xml", "uplink_states.txt"):
            shutil.copy(os.path.join(os.path.dirname(PLATFORM), name), here)
        digests = {re.search(r"trace digest +(\w+)", run("run", *SHORT, "--platform", path)).group(1)
                   for path in (PLATFORM, os.path.join(here, "two_racks.xml"))}
        self.assertEqual(len(digests), 1)

    def test_explain_names_the_links(self):
        said = run("explain", "read", "--nodes", "2", "--platform", PLATFORM)
        self.assertIn("cable-a1", said)
        self.assertNotIn("uplink", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
