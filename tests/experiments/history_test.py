#!/usr/bin/env python3
"""Histories that the program exports are found right or wrong alike by its own check and by one that knows only Jepsen's format."""

import json
import os
import subprocess
import sys
import unittest

import jepsen_checker

PROGRAM, HISTORY_OF_LOCKS = sys.argv[1:3]
del sys.argv[1:3]
FOLDER = os.environ["TEST_TMPDIR"]
SMALL = ["run", "--nodes", "3", "--threads", "2", "--coroutines", "4", "--duration", "300us", "--warmup", "20us"]
FEW = ["--set", "workload.accounts_per_worker=50"]


def exported(name, *arguments):
    path = os.path.join(FOLDER, name)
    subprocess.run([PROGRAM, *SMALL, *arguments, "--history", path], check=True, stdout=subprocess.DEVNULL)
    return jepsen_checker.read_history(path)


def of_locks(switch, seed, ending):
    """The history of a run on the tests' own system, and what the check of histories found in it."""
    path = os.path.join(FOLDER, "%s-%d.%s" % (switch, seed, ending))
    text = subprocess.run([HISTORY_OF_LOCKS, switch, str(seed), path], check=True, stdout=subprocess.PIPE).stdout
    return jepsen_checker.read_history(path), json.loads(text)["verification"]["anomaly"]


class HistoryTest(unittest.TestCase):
    def test_a_good_run_has_no_anomalies(self):
        for arguments in (FEW, ["--workload", "tatp"], [*FEW, "--chaos", "--seed", "5"]):
            with self.subTest(arguments=arguments):
                self.check_good_run(*arguments)

    def test_records_that_are_inserted_are_read_as_they_were_written(self):
        # In each of these runs a Stock-Level reads lines of an order that was entered long before.
        for system, seeds in (("drtmh", (1, 5, 10)), ("farm", (5, 9)), ("drtmr", (1,)), ("fasst", (6,)), ("fasst-occ", (9,))):
            for seed in seeds:
                with self.subTest(system=system, seed=seed):
                    operations = self.check_good_run("--workload", "tpcc", "--system", system, "--seed", str(seed))
                    reads = {tuple(op[1:]) for each in operations if each["type"] == "ok" for op in each["value"] if op[0] == "r"}
                    # No loaded record is written with this version, and none is read as it.
                    self.assertTrue(any(value == 1 and key.startswith("order_line/") for key, value in reads))

    def check_good_run(self, *arguments):
        operations = exported("good.edn", "--verify", *arguments)
        self.assertGreater(sum(operation["type"] == "ok" for operation in operations), 50)
        self.assertEqual(jepsen_checker.anomalies(operations), set())
        return operations

    def test_both_forms_say_the_same(self):
        self.assertEqual(exported("same.edn", *FEW), exported("same.jsonl", *FEW))

    def test_aborted_attempts_have_failed(self):
        operations = exported("aborts.jsonl", *FEW)
        self.assertTrue(any(operation["type"] == "fail" for operation in operations))

    def test_every_commit_is_there(self):
        path = os.path.join(FOLDER, "result.json")
        operations = exported("commits.jsonl", *FEW, "--json", path)
        with open(path, encoding="utf-8") as file:
            total = json.load(file)["results"][0]["counters"]["total"]
        self.assertEqual(sum(operation["type"] == "ok" for operation in operations), total)

    def test_both_checks_agree_about_a_system_without_its_locks(self):
        wrong = 0
        for seed in range(1, 11):
            with self.subTest(seed=seed):
                operations, anomaly = of_locks("off", seed, "edn" if seed % 2 else "jsonl")
                # The other knows neither what is in memory in the end nor where an attempt has its place.
                if jepsen_checker.anomalies(operations):
                    self.assertIsNotNone(anomaly)
                    wrong += 1
        self.assertGreater(wrong, 0)

    def test_both_checks_agree_about_a_system_with_its_locks(self):
        for seed in range(1, 4):
            operations, anomaly = of_locks("on", seed, "edn")
            self.assertIsNone(anomaly)
            self.assertEqual(jepsen_checker.anomalies(operations), set())

    def test_the_report_of_an_anomaly_closes_a_cycle(self):
        cycles = 0
        for seed in range(1, 11):
            _, anomaly = of_locks("off", seed, "edn")
            if anomaly is None or len(anomaly["edges"]) < len(anomaly["attempts"]):
                continue
            cycles += 1
            edges = anomaly["edges"]
            count = len(anomaly["attempts"])
            self.assertEqual([edge["from"] for edge in edges], list(range(count)))
            self.assertEqual([edge["to"] for edge in edges], [(i + 1) % count for i in range(count)])
            for edge in edges:
                self.check_edge(edge, anomaly["attempts"])
        self.assertGreater(cycles, 0)

    def check_edge(self, edge, attempts):
        one, other = attempts[edge["from"]], attempts[edge["to"]]
        if edge["why"] == "time":
            self.assertLessEqual(one["end_us"], other["begin_us"])
            return
        mine, its = ([r for r in t["records"] if all(r[k] == edge[k] for k in ("table", "partition", "key"))] for t in (one, other))
        of_one, of_other = {"ww": ("written", "written"), "wr": ("written", "read"), "rw": ("read", "written")}[edge["why"]]
        self.assertIn(edge["value"], [record[of_one] for record in mine])
        self.assertTrue(any(record[of_other] is not None for record in its))
        if edge["why"] == "wr":
            self.assertIn(edge["value"], [record["read"] for record in its])


class CheckerTest(unittest.TestCase):
    """The checker itself finds what is wrong."""

    @staticmethod
    def history(*transactions):
        operations = []
        for process, values in enumerate(transactions):
            asked = [[kind, key, None if kind == "r" else value] for kind, key, value in values]
            operations.append({"type": "invoke", "process": process, "value": asked})
        for process, values in enumerate(transactions):
            operations.append({"type": "ok", "process": process, "value": values})
        return [dict(operation, index=i, time=i, f="txn") for i, operation in enumerate(operations)]

    def test_write_skew_and_lost_updates_are_cycles(self):
        both = [["r", "x", None], ["r", "y", None]]
        skew = self.history([*both, ["w", "y", 2]], [*both, ["w", "x", 2]])
        self.assertEqual(jepsen_checker.anomalies(skew), {"cycle"})
        lost = self.history([["r", "x", 1], ["w", "x", 2]], [["r", "x", 1], ["w", "x", 3]], [["r", "x", None], ["w", "x", 1]])
        self.assertEqual(jepsen_checker.anomalies(lost), {"cycle"})

    def test_reads_from_nowhere_are_noticed(self):
        self.assertEqual(jepsen_checker.anomalies(self.history([["r", "x", 7]])), {"read of what nobody wrote"})


if __name__ == "__main__":
    unittest.main()
