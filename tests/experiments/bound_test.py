#!/usr/bin/env python3
"""What bounds a run: the right resource in cases whose bound is known, and utilizations against sums by hand."""

import json
import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def document(*arguments):
    """The text that the program prints, and the document that it writes."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    command = [PROGRAM, *arguments, "--json", path]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout
    with open(path, encoding="utf-8") as file:
        return text, json.load(file)


def measured(*arguments):
    """The text that the program prints, and the first of its results."""
    text, whole = document(*arguments)
    return text, whole["results"][0]


def busy_ns(operation, place, resource, *arguments):
    """The time that one such request costs a resource, as `explain` says."""
    _, explanation = document("explain", operation, *arguments)
    rows = [row for row in explanation["limits"] if (row["place"], row["resource"]) == (place, resource)]
    return sum(row["busy_ns"] for row in rows)


class BoundTest(unittest.TestCase):
    def assert_bound(self, resource, *arguments):
        text, result = measured(*arguments)
        self.assertEqual(result["bound_by"]["resource"], resource, result["bound_by"]["text"])
        self.assertIn("bound by        " + result["bound_by"]["text"] + "\n", text)
        return result

    def test_few_cores(self):
        few = ["run", "--nodes", "3", "--threads", "1", "--coroutines", "32", "--duration", "1ms"]
        result = self.assert_bound("worker cores", *few)
        time = result["utilization"]["cores"]["time"]
        self.assertAlmostEqual(sum(time.values()), 1, places=6)
        self.assertGreater(time["transactions"], 0.1)
        self.assertLess(time["waiting"] + time["empty polls"], 0.1)

    def test_slow_links(self):
        load = ["run", "--nodes", "4", "--threads", "4", "--duration", "1ms"]
        for override, resource in (("fabric.link_gbps=2", "links"), ("nic.port_gbps=2", "ports")):
            with self.subTest(override=override):
                result = self.assert_bound(resource, *load, "--set", override)
                self.assertGreater(result["utilization"]["stations"][resource]["most"], 0.9)
                self.assertLess(result["utilization"]["cores"]["mean"], 0.5)

    def test_a_small_cache_of_queue_pairs(self):
        load = ["bench", "read", "--nodes", "8", "--threads", "16", "--nics-per-node", "1", "--coroutines", "8"]
        small = self.assert_bound("state fetches", *load, "--set", "nic.qp_cache_entries=4")
        reason = r"100 % of that is for misses in NICs' caches \(of queue pairs \d\d\.\d % of look-ups\)"
        self.assertRegex(small["bound_by"]["text"], reason)
        self.assertGreater(small["utilization"]["queue_pair_cache_misses"], 0.3)
        _, large = measured(*load, "--set", "nic.qp_cache_entries=4096")
        self.assertNotEqual(large["bound_by"]["resource"], "state fetches")
        self.assertLess(large["utilization"]["queue_pair_cache_misses"], 0.01)

    def test_one_word_of_atomics(self):
        one = ["bench", "faa", "--nodes", "4", "--servers", "1", "--threads", "8", "--coroutines", "4"]
        result = self.assert_bound("atomic slots", *one, "--set", "nic.atomic_slots=1")
        self.assertRegex(result["bound_by"]["text"], "node 3.*slot 0")

    def test_operations_of_prism_that_wait_for_those_of_their_queue_pair(self):
        one = ["bench", "prism-cas", "--payload", "16", "--prism", "nic", "--nodes", "2", "--clients", "1", "--servers", "1",
               "--threads", "1", "--coroutines", "1", "--nics-per-node", "1", "--duration", "200us"]
        result = self.assert_bound("queue pair orders", *one, "--window", "32")
        self.assertRegex(result["bound_by"]["text"], r"that of node 1, queue pair \d+ is \d\d\.\d % busy")
        self.assert_waits(result, 3, 16)
        self.assert_waits(self.assert_bound("latency", *one, "--window", "1"), 0, 0)
        # READs overlap.
        reads = [word if word != "prism-cas" else "indirect-read" for word in one]
        self.assert_waits(measured(*reads, "--window", "8")[1], 0, 0)

    def test_operations_of_prism_that_wait_for_one_word(self):
        one = ["bench", "prism-cas", "--payload", "16", "--prism", "nic", "--nodes", "2", "--clients", "1", "--servers", "1",
               "--threads", "8", "--coroutines", "32", "--nics-per-node", "1", "--duration", "200us", "--set", "nic.atomic_slots=1"]
        # All queue pairs wait for the slot, and what waits behind these for them.
        result = self.assert_bound("atomic slots", *one)
        stations = result["utilization"]["stations"]
        self.assertEqual(stations["queue pair orders"]["saturated"], 8)
        self.assertLess(stations["atomic slots"]["waiting"], 8)

    def assert_waits(self, result, least, most):
        """That many operations wait for others on average."""
        waiting = result["utilization"]["stations"].get("queue pair orders", {"waiting": 0})["waiting"]
        self.assertTrue(least <= waiting <= most, waiting)

    def test_few_lanes_of_pcie(self):
        few = ["bench", "read", "--payload", "2048", "--nodes", "4", "--threads", "8", "--coroutines", "8"]
        result = self.assert_bound("PCIe from host", *few, "--set", "nic.pcie_lanes=1")
        self.assertGreater(result["utilization"]["stations"]["PCIe from host"]["waiting"], 50)

    def test_a_doorbell_that_threads_share(self):
        load = ["bench", "write", "--payload", "8", "--nodes", "2", "--threads", "24", "--nics-per-node", "1", "--loop", "raw"]
        load += ["--window", "32", "--clients", "1"]
        result = self.assert_bound("doorbell locks", *load, "--context", "shared", "--set", "nic.doorbell_registers=1")
        self.assertGreater(result["utilization"]["cores"]["time"]["locks"], 0.5)
        _, own = measured(*load, "--context", "dedicated")
        self.assertNotIn("doorbell locks", own["utilization"]["stations"])

    def test_a_hot_record(self):
        hot = ["run", "--nodes", "4", "--threads", "4", "--duration", "2ms", "--set", "workload.accounts_per_worker=100"]
        result = self.assert_bound("conflicts", *hot, "--set", "workload.hot_fraction=0.005", "--set", "workload.hot_share=1")
        self.assertGreater(sum(result["aborted"].values()), result["committed"])

    def test_latency_with_idle_cores(self):
        result = self.assert_bound("latency", "run", "--nodes", "4", "--threads", "2", "--coroutines", "1", "--duration", "1ms")
        self.assertGreater(result["utilization"]["cores"]["time"]["waiting"], 0.5)

    def test_a_server_that_all_ask(self):
        all_to_one = ["bench", "read", "--nodes", "8", "--servers", "1", "--threads", "8", "--nics-per-node", "1"]
        _, result = measured(*all_to_one, "--coroutines", "8")
        self.assertIn("node 7", result["bound_by"]["text"])
        kind = result["utilization"]["stations"][result["bound_by"]["resource"]]
        self.assertGreater(kind["most"], 0.9)
        self.assertLess(kind["mean"], 0.5)


class UtilizationTest(unittest.TestCase):
    """Rates times what `explain` says that one request costs."""

    def assert_near(self, found, expected):
        self.assertAlmostEqual(found / expected, 1, delta=0.05)

    def test_reads(self):
        nodes, payload = 4, "512"
        load = ["--nodes", str(nodes), "--threads", "4", "--nics-per-node", "1", "--coroutines", "8", "--duration", "2ms"]
        _, result = measured("bench", "read", "--payload", payload, "--window", "1", *load)
        stations = result["utilization"]["stations"]
        per_node = result["throughput_per_s"] / nodes / 1e9
        # Each node's NIC is requester and responder.
        for resource, kind in (("PCIe from host", "PCIe from host"), ("PCIe to host", "PCIe to host"), ("port", "ports")):
            one = sum(busy_ns("read", place, resource, "--payload", payload) for place in ("requester's NIC", "responder's NIC"))
            self.assert_near(stations[kind]["mean"], per_node * one)
        units = sum(busy_ns("read", place, "processing units", "--payload", payload) for place in ("requester's NIC", "responder's NIC"))
        self.assert_near(stations["processing units"]["mean"] * stations["processing units"]["count"] / nodes, per_node * units)
        # Each node has two cables, one each way, which carry its own requests and the responses to others, and the reverse.
        self.assert_near(stations["links"]["mean"], per_node * busy_ns("read", "network", "link", "--payload", payload))
        wire_bytes = result["counters"]["nic.wire_bytes"] / result["committed"]
        self.assert_near(stations["links"]["mean"], per_node * wire_bytes * 8 / 100)

    def test_atomics(self):
        load = ["--nodes", "3", "--servers", "1", "--threads", "2", "--nics-per-node", "1", "--coroutines", "2", "--duration", "5ms"]
        _, result = measured("bench", "faa", *load, "--set", "nic.atomic_slots=1")
        hold = busy_ns("faa", "responder's NIC", "atomic slot")
        self.assert_near(result["utilization"]["stations"]["atomic slots"]["most"], result["throughput_per_s"] * hold / 1e9)

    def test_cores(self):
        load = ["bench", "read", "--nodes", "2", "--clients", "1", "--threads", "1", "--loop", "raw", "--duration", "5ms"]
        _, result = measured(*load, "--servers", "1")
        cores = result["utilization"]["cores"]
        core = busy_ns("read", "requester", "core")
        self.assert_near(cores["time"]["posting"] + cores["time"]["polling"], result["throughput_per_s"] * core / 1e9)

    def test_only_the_measured_time_counts(self):
        load = ["bench", "read", "--nodes", "2", "--threads", "2", "--duration", "2ms"]
        _, at_once = measured(*load, "--warmup", "0s")
        _, later = measured(*load, "--warmup", "6ms")
        self.assert_near(later["utilization"]["cores"]["mean"], at_once["utilization"]["cores"]["mean"])


if __name__ == "__main__":
    unittest.main()
