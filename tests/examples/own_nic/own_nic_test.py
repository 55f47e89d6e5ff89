#!/usr/bin/env python3
"""A NIC of one's own: a profile of the product is copied, two constants are changed, and its path is given to --nic.

Arguments: the program, the profile that is copied.
"""

import json
import os
import re
import subprocess
import sys
import unittest

PROGRAM, PROFILE = sys.argv[1:3]
OWN = os.path.join(os.environ["TEST_TMPDIR"], "quarter.toml")
LOAD = "bench write --nodes 2 --nics-per-node 1 --threads 8 --payload 4096 --duration 2ms --warmup 50us".split()


def write_profile(**changes):
    """Copies the profile with other values of these constants."""
    with open(PROFILE, encoding="utf-8") as file:
        text = file.read()
    for name, value in changes.items():
        text, replaced = re.subn(r"(?m)^%s = \{ value = [^,]+" % name, "%s = { value = %s" % (name, value), text)
        assert replaced == 1, name
    with open(OWN, "w", encoding="utf-8") as file:
        file.write(text)


def run(*arguments, code=0):
    """The program's words on both streams."""
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == code, done.stdout
    return done.stdout


def rate_gbps(nic):
    """Payload of WRITEs of 4 KB that two nodes send each other, of both together."""
    results = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    run(*LOAD, "--nic", nic, "--json", results)
    with open(results, encoding="utf-8") as file:
        return json.load(file)["results"][0]["payload_gbps"]


class OwnNic(unittest.TestCase):
    """The port is slower than the PCIe that bounds the NIC it was copied from."""

    def test_a_slower_port_carries_less(self):
        write_profile(port_gbps=50)
        own, shipped = rate_gbps(OWN), rate_gbps("connectx-6")
        self.assertLess(own, 2 * 50)
        self.assertGreater(own, 2 * 50 * 0.8)
        self.assertGreater(shipped, 2 * own)

    def test_transactions_run_on_it(self):
        write_profile(port_gbps=50, processing_units=2)
        said = run("run", "--nodes", "3", "--threads", "2", "--duration", "300us", "--warmup", "100us", "--verify", "--nic", OWN)
        self.assertIn("quarter", said)
        self.assertIn("verification    passed", said)

    def test_a_constant_that_cannot_be_is_named(self):
        write_profile(port_gbps=-50)
        said = run(*LOAD, "--nic", OWN, code=2)
        self.assertIn("port_gbps", said)
        self.assertEqual(said.count("\n"), 1, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
