#!/usr/bin/env python3
"""Networks as people choose them: bandwidth as arithmetic says, equal runs, the user's own platform."""

import json
import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
KINDS = ("star", "fat-tree", "dragonfly", "torus", "fat-tree:2;2,3;1,2;1,1", "torus:3,2")


def run(*arguments):
    """The text that the program prints."""
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def writes_per_second(topology):
    """Throughput of 16 nodes with one NIC each that write 4 KB to each other at random."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    load = ["--payload", "4096", "--nodes", "16", "--threads", "4", "--coroutines", "4", "--window", "8", "--nics-per-node", "1"]
    run("bench", "write", *load, "--duration", "3ms", "--warmup", "1ms", "--topology", topology, "--json", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"][0]["throughput_per_s"]


class TopologyTest(unittest.TestCase):
    def test_an_oversubscribed_fat_tree_is_as_fast_as_its_links_up(self):
        # A WRITE is one packet of 26 B around 4096 B and 16 B; its acknowledgement is 30 B the other way.
        on_wire = 26 + 16 + 4096 + 30
        links = 100e9 / 8 / on_wire
        for ways_up in (1, 2):
            # 4 switches; 12 of 15 peers are at another switch.
            expected = 4 * ways_up * links / (12 / 15)
            for topology in ("fat-tree:2;4,4;1,%d;1,1" % ways_up, "fat-tree:2;4,4;1,1;1,%d" % ways_up):
                with self.subTest(topology):
                    measured = writes_per_second(topology)
                    self.assertLess(measured, expected)
                    self.assertGreater(measured, 0.96 * expected)
        # With as many ways up as down the nodes' own cables are the limit.
        full = writes_per_second("fat-tree:2;4,4;1,4;1,1")
        self.assertAlmostEqual(full, writes_per_second("star"), delta=0.03 * full)
        self.assertGreater(full, 0.9 * 16 * links)

    def test_equal_seeds_give_equal_runs(self):
        def digest(topology, seed):
            small = ["--nodes", "6", "--threads", "2", "--duration", "30us", "--warmup", "5us"]
            text = run("bench", "read", *small, "--topology", topology, "--seed", seed)
            return re.search(r"^trace digest +(\w+)$", text, re.MULTILINE).group(1)

        for topology in KINDS:
            with self.subTest(topology):
                self.assertEqual(digest(topology, "3"), digest(topology, "3"))
                self.assertNotEqual(digest(topology, "3"), digest(topology, "4"))
        self.assertEqual(digest("star", "3"), digest("fat-tree:1;6;1;1", "3"))

    def test_no_nic_receives_more_than_its_port_though_links_meet_at_its_host(self):
        path = os.path.join(os.environ["TEST_TMPDIR"], "direct.xml")
        pairs = [(0, 1), (0, 2), (1, 2)]
        for policy in ("SHARED", "FATPIPE"):
            with open(path, "w", encoding="utf-8") as file:
                file.write("<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'><platform version='4.1'>"
                           "<zone id='z' routing='Full'>")
                file.writelines("<host id='h%d' speed='1Gf'/>" % host for host in range(3))
                link = "<link id='l%d%d' bandwidth='12.5GBps' latency='100ns' sharing_policy='%s'/>"
                file.writelines(link % (*pair, policy) for pair in pairs)
                file.writelines("<route src='h%d' dst='h%d'><link_ctn id='l%d%d'/></route>" % (*pair, *pair) for pair in pairs)
                file.write("</zone></platform>")
            wide = [word for key in ("nic.pcie_lanes", "cpu.pcie_lanes") for word in ("--set", key + "=32")]
            load = ["--nodes", "3", "--clients", "2", "--servers", "1", "--threads", "4", "--coroutines", "8", "--payload", "4096"]
            text = run("bench", "write", *load, "--nics-per-node", "1", "--duration", "1ms", "--platform", path, *wide)
            gbps = float(re.search(r"([\d.]+) Gb/s of payload", text).group(1))
            with self.subTest(policy=policy):
                self.assertLess(gbps, 100)
                self.assertGreater(gbps, 95)

    def test_a_platform_of_the_users(self):
        path = os.path.join(os.environ["TEST_TMPDIR"], "platform.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'><platform version='4.1'>"
                "<cluster id='c' prefix='h' suffix='' radical='0-5' speed='1Gf' bw='100Gbps' lat='1us'/></platform>"
            )
        text = run("bench", "read", "--nodes", "6", "--threads", "2", "--duration", "30us", "--warmup", "5us", "--platform", path)
        self.assertIn("platform.xml", text)
        explained = run("explain", "read", "--nodes", "6", "--platform", path)
        self.assertRegex(explained, r"cables and switches +2000\.000")


if __name__ == "__main__":
    unittest.main()
