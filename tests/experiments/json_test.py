#!/usr/bin/env python3
"""The JSON document of real runs has the members that docs/reference/documents.md promises, with sensible values."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
SMALL = ["--nodes", "3", "--threads", "2", "--duration", "100us", "--warmup", "20us"]
LATENCY = {"count", "p50", "p90", "p99", "p999", "mean", "max"}


def document(*arguments):
    """The document that the program writes with --json."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    subprocess.run([PROGRAM, *arguments, "--json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class JsonTest(unittest.TestCase):
    def check_frame(self, result):
        self.assertEqual(result["schema"], {"name": "verbena.results", "version": 2})
        self.assertEqual(result["fabric"], "sim")
        self.assertEqual(result["seed"], 5)
        self.assertRegex(result["commit"], r"^([0-9a-f]{12}\+?|unknown)$")
        self.assertRegex(result["trace_digest"], "^[0-9a-f]{16}$")
        self.assertGreater(result["sim_seconds"], 0)
        self.assertGreater(result["wall_seconds"], 0)
        self.assertGreater(result["peak_rss_bytes"], 1 << 20)
        self.assertEqual(len(result["results"]), 1)
        self.assertEqual(result["config"]["nodes"], 3)
        self.assertEqual(result["config"]["duration"], "100us")

    def check_measurement(self, measurement):
        self.assertGreater(measurement["committed"], 0)
        self.assertAlmostEqual(measurement["throughput_per_s"], measurement["committed"] / measurement["seconds"], delta=1)
        latency = measurement["latency_us"]
        self.assertEqual(set(latency) - {"with_in_flight"}, LATENCY | {"intervals_95"})
        for name, interval in latency["intervals_95"].items():
            if interval is None:
                if name != "mean":
                    self.assertIsNone(latency[name], "a percentile without an interval is withheld")
                continue
            self.assertLessEqual(interval[0], latency[name])
            if interval[1] is not None:
                self.assertGreaterEqual(interval[1], latency[name])
        self.assertEqual(latency["count"], measurement["committed"])
        known = [latency[name] for name in ("p50", "p90", "p99", "p999") if latency[name] is not None]
        self.assertGreater(latency["p50"], 0)
        self.assertEqual(known, sorted(known))
        self.assertLessEqual(known[-1], latency["max"])
        self.assertTrue(any(name.startswith("nic.") for name in measurement["counters"]))

    def test_run(self):
        result = document("run", *SMALL, "--seed", "5", "--verify", "--set", "workload.accounts_per_worker=1000")
        self.check_frame(result)
        self.check_measurement(result["results"][0])
        self.assertEqual(result["results"][0]["name"], "drtmh/smallbank")
        self.assertEqual(set(result["results"][0]["phases"]["log"]), LATENCY | {"intervals_95", "after_latency"})
        after = [name for name, phase in result["results"][0]["phases"].items() if phase["after_latency"]]
        self.assertEqual(after, ["commit"], "a transaction is decided when its log is there")
        self.assertEqual(set(result["results"][0]["latency_us"]["with_in_flight"]), {"p50", "p90", "p99", "p999"})
        self.assertTrue(result["verification"]["passed"])
        self.assertIn("replayed for strict serializability", result["verification"]["summary"])
        self.assertEqual(result["config"]["overrides"], {"workload.accounts_per_worker": "1000"})

    def test_nodes_with_roles(self):
        result = document("run", "--nodes", "5", *SMALL[2:], "--seed", "5", "--system", "nam")["results"][0]
        self.assertEqual(result["nodes_by_role"], {"compute": 2, "memory": 2, "oracle": 1})
        self.assertAlmostEqual(result["throughput_per_computing_node_per_s"] * 2, result["throughput_per_s"], delta=1)
        self.assertEqual(set(result["times"]["snapshot_age"]), LATENCY | {"intervals_95"})
        self.assertGreaterEqual(result["times"]["snapshot_age"]["count"] + 100, result["committed"])
        roles = result["utilization"]["roles"]
        self.assertEqual({name: role["nodes"] for name, role in roles.items()}, result["nodes_by_role"])
        cores, ports = result["utilization"]["cores"], result["utilization"]["stations"]["ports"]
        self.assertEqual(sum(role["cores"]["count"] for role in roles.values()), cores["count"])
        self.assertEqual(sum(role["stations"]["ports"]["count"] for role in roles.values()), ports["count"])
        self.assertAlmostEqual(max(role["stations"]["ports"]["most"] for role in roles.values()), ports["most"])
        for role in roles.values():
            self.assertNotIn("links", role["stations"])
            self.assertAlmostEqual(sum(role["cores"]["time"].values()), 1, places=6)

    def test_nodes_that_are_alike(self):
        result = document("run", *SMALL, "--seed", "5")["results"][0]
        self.assertTrue({"nodes_by_role", "throughput_per_computing_node_per_s", "times"}.isdisjoint(result))
        self.assertNotIn("roles", result["utilization"])
        self.assertNotIn("role", result["bound_by"])

    def test_bench(self):
        for operation in ("read", "write", "send", "rpc", "write-rpc", "cas", "faa", "multi-read", "multi-write"):
            with self.subTest(operation):
                result = document("bench", operation, *SMALL, "--seed", "5")
                self.check_frame(result)
                self.check_measurement(result["results"][0])
                self.assertIsNone(result["verification"])

    def test_counters_cover_the_measured_time(self):
        short = document("bench", "read", *SMALL, "--seed", "5")["results"][0]
        warmed = document("bench", "read", *SMALL, "--seed", "5", "--set", "warmup=400us")["results"][0]
        for measurement in short, warmed:
            for counter in "nic.verbs.read", "worker.reads":
                self.assertAlmostEqual(measurement["counters"][counter] / measurement["committed"], 1, delta=0.05)
        self.assertGreater(warmed["counters"]["total"], 3 * warmed["committed"])
        longer = [*SMALL, "--set", "duration=400us"]
        run = [document("run", *longer, "--set", "warmup=" + warmup)["results"][0] for warmup in ("20us", "400us")]
        per_transaction = [m["counters"]["nic.verbs.write"] / m["committed"] for m in run]
        self.assertAlmostEqual(per_transaction[0] / per_transaction[1], 1, delta=0.2)

    def test_the_command_line_repeats_the_run(self):
        first = document("run", *SMALL, "--seed", "6")
        words = first["config"]["command_line"].split()
        self.assertEqual(words[0], "verbena")
        again = document(*words[1:])
        self.assertEqual(first["trace_digest"], again["trace_digest"])
        self.assertEqual(first["results"], again["results"])

    def test_the_document_repeats_the_run(self):
        extra = ["--nics-per-node", "1", "--set", "workload.accounts_per_worker=1000", "--plan", "log=two-sided", "--chaos"]
        first = document("run", *SMALL, "--seed", "6", *extra)
        path = os.path.join(os.environ["TEST_TMPDIR"], "first.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(first, file)
        again = document("run", "--config", path)
        self.assertEqual(first["trace_digest"], again["trace_digest"])
        self.assertEqual(first["config"], again["config"])
        other = document("run", "--config", path, "--seed", "7")
        self.assertNotEqual(first["trace_digest"], other["trace_digest"])


if __name__ == "__main__":
    unittest.main()
