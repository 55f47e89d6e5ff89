#!/usr/bin/env python3
"""NICs compare: on one host and network they differ by themselves alone, and PCIe is what both ends can do."""

import json
import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
GENERATIONS = ["connectx-3", "connectx-4", "connectx-5", "connectx-6", "connectx-7"]
HOSTS = ["e5-2650v4", "gold-6338", "platinum-8480"]
NETWORK = ["--switch", "ndr-switch"]
LOAD = "--nodes 2 --clients 1 --servers 1 --nics-per-node 1 --threads 48 --loop raw --window 10".split()


def text_of(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def latency_ns(*arguments):
    return float(re.search(r"^ +total +([\d.]+)", text_of("explain", "read", *arguments), re.MULTILINE).group(1))


def load(*arguments):
    """The result of one client that reads from one server."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    text_of("bench", "read", *LOAD, *arguments, "--json", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"][0]


def rate(*arguments):
    return load("--payload", "8", "--warmup", "20us", "--duration", "50us", *arguments)["throughput_per_s"]


def gbps(*arguments):
    return load("--payload", "65536", "--warmup", "500us", "--duration", "1ms", *arguments)["payload_gbps"]


class Generations(unittest.TestCase):
    def check_order(self, quantity, slack=0.0):
        """Each generation's is at least that of the one before."""
        for host in HOSTS:
            values = [quantity("--nic", nic, "--cpu", host, *NETWORK) for nic in GENERATIONS]
            for older, newer in zip(values, values[1:]):
                self.assertGreaterEqual(newer, older * (1 - slack), (host, values))
        return values

    def test_a_newer_nic_takes_no_longer_for_a_read(self):
        for payload in "8", "64", "4096":
            self.check_order(lambda *machine, payload=payload: -latency_ns("--payload", payload, *machine))

    def test_a_newer_nic_does_as_many_small_reads(self):
        rates = self.check_order(rate)
        self.assertGreater(rates[-1], 5 * rates[0])

    def test_a_newer_nic_brings_as_many_bytes(self):
        rates = self.check_order(gbps, 0.01)
        self.assertGreater(rates[-1], 7 * rates[0])

    def test_the_faster_of_two_hosts_is_so_for_every_nic(self):
        for nic in GENERATIONS:
            self.assertLess(latency_ns("--nic", nic, "--cpu", "e5-2450"), latency_ns("--nic", nic, "--cpu", "gold-6240r"))


class Pcie(unittest.TestCase):
    def test_a_nic_of_400_gbps_has_them_where_the_host_does(self):
        self.assertAlmostEqual(gbps("--nic", "connectx-7", "--cpu", "platinum-8480"), 396, delta=6)

    def test_an_old_host_limits_a_new_nic(self):
        old = gbps("--nic", "connectx-7", "--cpu", "e5-2650v4")
        self.assertLess(old, 126, "the rate of PCIe 3.0 x16")
        self.assertGreater(old, 100)

    def test_an_old_nic_gains_nothing_from_a_new_host(self):
        nic = ["--nic", "connectx-3"]
        self.assertAlmostEqual(gbps(*nic, "--cpu", "platinum-8480"), gbps(*nic, "--cpu", "e5-2650v4"), delta=1)

    def test_lanes_and_their_rate_are_the_lesser_of_both(self):
        for side in "nic", "cpu":
            half = gbps("--set", side + ".pcie_lanes=8")
            self.assertAlmostEqual(half, gbps("--set", side + ".pcie_lane_mbps=492.3"), delta=0.5)
            self.assertLess(half, 0.6 * gbps())
            self.assertAlmostEqual(gbps("--set", side + ".pcie_lanes=32"), gbps(), delta=0.5)

    def test_explain_names_both_ends(self):
        text = text_of("explain", "read")
        for key in "nic.pcie_lanes", "cpu.pcie_lanes", "nic.pcie_lane_mbps", "cpu.pcie_lane_mbps":
            self.assertIn(key, text)


class Told(unittest.TestCase):
    def configuration(self, *arguments):
        small = ["--nodes", "2", "--threads", "1", "--duration", "20us"]
        return re.search(r"^configuration +(.*)$", text_of("bench", "read", *small, *arguments), re.MULTILINE).group(1)

    def test_estimates_and_limits_are_told(self):
        self.assertIn("1 x connectx-4, e5-2650v4, edr-switch, star", self.configuration())
        new = self.configuration("--nic", "connectx-7")
        self.assertIn("connectx-7 (estimate), e5-2650v4 with PCIe of 126 instead of 504 Gb/s, ndr-switch (estimate), star", new)
        full = self.configuration("--nic", "connectx-7", "--cpu", "platinum-8480", "--switch", "hdr-switch")
        self.assertIn("connectx-7 (estimate), platinum-8480 (estimate), hdr-switch, star", full)
        self.assertIn("connectx-7 (estimate)", text_of("explain", "read", "--nic", "connectx-7"))
        other = self.configuration("--other-nodes", "1", "--other-nic", "connectx-7")
        self.assertIn("nodes 1 with connectx-7 (estimate) with PCIe of 126", other)


if __name__ == "__main__":
    unittest.main()
