#!/usr/bin/env python3
"""run --explain accounts for all of the latency of transactions, and names what they wait for in cases where that is known."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
SMALL = ["--nodes", "3", "--threads", "2", "--coroutines", "4", "--warmup", "100us", "--duration", "500us"]


def document(*arguments):
    """The text that the program prints, and the document that it writes."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    command = [PROGRAM, *arguments, "--json", path]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout
    with open(path, encoding="utf-8") as file:
        return text, json.load(file)


def explained(*arguments):
    """The first result of a run with --explain."""
    return document("run", "--explain", *arguments)[1]["results"][0]


def share(result, place=None, part=None):
    """The share of the latency that is told of a place, or of a part, or of both."""
    path = result["critical_path"]
    rows = [row for row in path["parts"] if place in (None, row["place"]) and (part is None or part in row["part"])]
    return sum(row["mean_us"] for row in rows) / path["mean_us"]


class CriticalPathTest(unittest.TestCase):
    def assert_complete(self, result):
        path = result["critical_path"]
        latency = result["latency_us"]
        self.assertEqual(path["transactions"], latency["count"])
        self.assertAlmostEqual(path["mean_us"], latency["mean"], delta=1e-6 * latency["mean"])
        self.assertAlmostEqual(sum(row["mean_us"] for row in path["parts"]), path["mean_us"], delta=1e-6 * path["mean_us"])
        slowest = sum(row["slowest_mean_us"] for row in path["parts"])
        self.assertAlmostEqual(slowest, path["slowest_mean_us"], delta=1e-6 * slowest)
        self.assertGreaterEqual(path["slowest"], 0.01 * path["transactions"])
        self.assertGreater(path["slowest_mean_us"], path["mean_us"])
        self.assertTrue(all(row["mean_us"] >= 0 for row in path["parts"]))

    def test_the_parts_sum_up_to_the_latency(self):
        for system in ("drtmh", "farm", "drtmr", "fasst", "fasst-occ"):
            for workload in ("smallbank", "tpcc-no", "ycsb"):
                with self.subTest(system=system, workload=workload):
                    self.assert_complete(explained("--system", system, "--workload", workload, *SMALL))

    def test_what_is_lost_doubled_and_late_is_accounted_for(self):
        unkind = ["--chaos", "--set", "fabric.ud_loss=0.01", "--set", "fabric.ud_duplicate=0.01", "--set", "fabric.ud_reorder=0.05",
                  "--set", "rdma.rpc_timeout=30us", "--set", "rdma.rpc_ack_delay=10us"]
        result = explained("--system", "fasst-occ", *SMALL, *unkind)
        self.assert_complete(result)
        self.assertGreater(share(result, part="time-out"), 0.05)
        self.assert_complete(explained("--set", "rdma.rpc_transport=write-ring", "--system", "fasst-occ", *SMALL, "--chaos"))

    def test_watching_changes_nothing(self):
        for more in ([], ["--chaos"], ["--trace", os.path.join(os.environ["TEST_TMPDIR"], "trace.json")]):
            with self.subTest(more=more):
                _, plain = document("run", *SMALL, *(["--chaos"] if "--chaos" in more else []))
                _, watched = document("run", "--explain", *SMALL, *more)
                self.assertEqual(watched["trace_digest"], plain["trace_digest"])
                self.assertNotIn("critical_path", plain["results"][0])

    def test_the_points_of_a_series_are_explained(self):
        path = os.path.join(os.environ["TEST_TMPDIR"], "series.json")
        subprocess.run([PROGRAM, "run", "--explain", "--nodes", "3,4", "--threads", "1", "--duration", "200us", "--json", path],
                       check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            for result in json.load(file)["results"]:
                self.assert_complete(result)

    def test_only_the_measured_time_counts_when_the_run_finds_it_out(self):
        automatic = ["--nodes", "3", "--threads", "2", "--coroutines", "4", "--precision", "5"]
        self.assert_complete(explained(*automatic))


class CausesTest(unittest.TestCase):
    def test_many_coroutines_wait_for_their_core(self):
        result = explained("--nodes", "3", "--threads", "1", "--coroutines", "32", "--duration", "500us")
        self.assertGreater(share(result, "own core", "ready") + share(result, part="until looked at"), 0.4)

    def test_one_coroutine_waits_for_stations_only(self):
        result = explained("--nodes", "3", "--threads", "1", "--coroutines", "1", "--duration", "1ms")
        self.assertLess(share(result, part="ready"), 0.02)
        self.assertGreater(share(result, "own NIC") + share(result, "other NIC") + share(result, "network"), 0.5)

    def test_slow_links(self):
        result = explained(*SMALL, "--set", "fabric.link_gbps=0.5")
        self.assertGreater(share(result, part="queue: link") + share(result, "network", "link"), 0.5)

    def test_calls_are_served_by_other_cores_and_one_sided_requests_by_none(self):
        plan = ["--workload", "ycsb", "--set", "workload.core=C", *SMALL]
        one_sided = explained("--system", "drtmh", *plan)
        calls = explained("--system", "fasst-occ", *plan)
        self.assertEqual(share(one_sided, "other core"), 0)
        self.assertGreater(share(calls, "other core", "transactions"), 0)
        self.assertGreater(share(calls, "other core"), 0.1)

    def test_a_hot_record_makes_transactions_sleep(self):
        hot = ["--workload", "ycsb", "--set", "workload.core=F", "--set", "workload.records_per_worker=1"]
        self.assertGreater(share(explained(*hot, *SMALL), part="asleep"), 0.3)

    def test_what_is_due_and_finds_no_coroutine(self):
        result = explained("--rate", "4e7", *SMALL)
        self.assertGreater(share(result, "own core", "due"), 0.5)
        # Coroutines sleep until something is due, and then wait for the core only.
        result = explained("--rate", "3e5", *SMALL)
        self.assertLess(share(result, "own core", "due"), 0.01)

    def test_what_a_core_does_is_no_waiting_though_completions_are_there(self):
        # The longer the turns of the event loop, the later completions are looked at, which nobody waits for.
        busy = ["--nodes", "3", "--threads", "1", "--coroutines", "1", "--replicas", "1", "--workload", "tpcc-no", "--duration", "2ms"]
        worked = []
        for turn in ("1us", "1s"):
            result = explained(*busy, "--set", "rdma.turn_time=" + turn)
            worked.append(share(result, "own core", "transactions") * result["critical_path"]["mean_us"])
        self.assertAlmostEqual(worked[1], worked[0], delta=0.02 * worked[0])

    def test_one_coroutine_works_as_much_as_its_core(self):
        result = explained("--nodes", "3", "--threads", "1", "--coroutines", "1", "--system", "one-sided", "--duration", "2ms")
        time = result["utilization"]["cores"]["time"]
        self.assertAlmostEqual(share(result, "own core", "transactions"), time["transactions"], delta=0.1)

    def test_nothing_overtakes_on_a_quiet_cluster(self):
        quiet = ["--nodes", "2", "--threads", "1", "--coroutines", "1", "--replicas", "1", "--duration", "500us", "--system", "fasst-occ",
                 "--workload", "ycsb", "--set", "workload.core=C"]
        result = explained(*quiet)
        self.assertLess(share(result, part="late") + share(result, part="line by line"), 1e-9)
        self.assertGreater(share(explained(*quiet, "--set", "fabric.ud_reorder=1"), "network", "late"), 0.1)

    def test_requests_on_the_path_follow_each_other(self):
        alone = ["--nodes", "3", "--threads", "1", "--coroutines", "1", "--workload", "ycsb", "--set", "workload.core=C",
                 "--duration", "1ms"]
        one_sided = explained("--system", "drtmh", *alone)["critical_path"]
        calls = explained("--system", "fasst-occ", *alone)["critical_path"]
        # Two of three records are on another node.
        self.assertAlmostEqual(one_sided["requests"], 2 / 3, delta=0.1)
        self.assertAlmostEqual(calls["requests"], 4 / 3, delta=0.2)


class TableTest(unittest.TestCase):
    def test_the_table_has_places_and_their_sum(self):
        text, whole = document("run", "--explain", *SMALL)
        path = whole["results"][0]["critical_path"]
        for place in ("own core", "own NIC", "network", "other NIC"):
            self.assertRegex(text, r"(?m)^ +%s +[\d.]+ +[\d.]+ %%" % place)
        self.assertRegex(text, r"(?m)^ +all +%.3f +100.0 %%" % path["mean_us"])

    def test_hardware_does_not_tell(self):
        refused = subprocess.run([PROGRAM, "run", "--fabric", "verbs", "--explain"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--explain", refused.stderr)


if __name__ == "__main__":
    unittest.main()
