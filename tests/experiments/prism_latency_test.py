#!/usr/bin/env python3
"""Following a pointer costs what PRISM's paper derives (SOSP 2021, figure 2): by two READs, by PRISM in software, and by a NIC."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
# A link of 25 Gb/s, one client that has one request of 512 B at a time.
CLIENT = ["--nodes", "2", "--clients", "1", "--servers", "1", "--threads", "1", "--coroutines", "1", "--window", "1", "--payload", "512",
          "--nic", "connectx-5-40g", "--nics-per-node", "1", "--cpu", "gold-6138", "--set", "nic.port_gbps=25",
          "--set", "fabric.link_gbps=25", "--warmup", "50us", "--duration", "4ms"]
# Time that networks add to a round trip, in microseconds: none, a rack's switch, a cluster's three tiers, a data centre under load.
NETWORKS = {"direct": 0, "rack": 0.6, "cluster": 3, "data centre": 24}


def median_us(operation, network_us):
    """Median latency where the network adds `network_us` to a round trip."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    switch = "fabric.switch_latency_ns=%d" % (network_us * 1000 / 2)
    subprocess.run([PROGRAM, "bench", *operation.split(), *CLIENT, "--set", switch, "--json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"][0]["latency_us"]["p50"]


class FollowingAPointer(unittest.TestCase):
    def expect(self, requests, operation, unloaded_us):
        """`requests` round trips of `unloaded_us` and of the network each, within 5 %."""
        for name, network_us in NETWORKS.items():
            with self.subTest(network=name):
                expected = requests * (unloaded_us + network_us)
                self.assertAlmostEqual(requests * median_us(operation, network_us), expected, delta=0.05 * expected)

    def test_by_two_reads_takes_two_round_trips(self):
        self.expect(2, "read", 2.5)

    def test_by_prism_in_software_takes_one_and_a_servers_core(self):
        self.expect(1, "indirect-read --prism software", 5.15)

    def test_by_prisms_nic_takes_one_and_a_read_of_host_memory(self):
        self.expect(1, "indirect-read --prism nic", 3.05)


if __name__ == "__main__":
    unittest.main()
