#!/usr/bin/env python3
"""Without --duration a run waits until it has come to rest and goes on until it is precise; --rate offers what it is told to."""

import json
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
SMALL = ["--nodes", "3", "--threads", "2", "--nics-per-node", "1", "--set", "workload.accounts_per_worker=10000"]


def started(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def run(*arguments):
    """The document and the table."""
    done = started("run", *SMALL, "--json", "-", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def relative_width(mean):
    return mean["half_width_95"] / mean["mean"]


class AutomaticTest(unittest.TestCase):
    def test_a_run_goes_on_until_it_is_precise(self):
        document, table = run()
        result = document["results"][0]
        self.assertEqual(document["config"]["duration"], "auto")
        self.assertEqual(result["precision"]["goal"], 0.01)
        for name in ("throughput_per_s", "mean_latency_us"):
            self.assertLessEqual(relative_width(result["precision"][name]), 0.01)
            self.assertTrue(result["precision"][name]["steady"])
        self.assertGreater(document["warm_up_seconds"], 0)
        self.assertAlmostEqual(document["sim_seconds"], document["warm_up_seconds"] + result["seconds"])
        self.assertAlmostEqual(result["throughput_per_s"], result["committed"] / result["seconds"], delta=1)
        self.assertLessEqual(sum(result["series"]["committed"]), result["committed"])
        self.assertGreaterEqual(sum(result["series"]["committed"]), 0.97 * result["committed"])
        self.assertIn("found out by the run", table)
        self.assertNotIn("not steady", table)

    def test_a_run_is_repeatable(self):
        self.assertEqual(run("--seed", "3")[0]["trace_digest"], run("--seed", "3")[0]["trace_digest"])

    def test_more_precision_takes_longer(self):
        rough = run("--precision", "5")[0]["results"][0]
        fine = run("--precision", "0.5")[0]["results"][0]
        self.assertGreater(fine["seconds"], 2 * rough["seconds"])
        self.assertLessEqual(relative_width(fine["precision"]["throughput_per_s"]), 0.005)

    def test_a_run_that_gives_up_says_so(self):
        # Commits are counted now and then.
        for limit, seconds in ((["--max-duration", "3ms"], 0.003), (["--max-commits", "5000"], 0.006)):
            document, table = run("--precision", "0.01", *limit)
            self.assertIn("+-0.01 % was asked for", table)
            self.assertLessEqual(document["sim_seconds"], seconds)

    def test_a_run_ends_before_it_takes_too_much_memory(self):
        limit = ["--precision", "0.01", "--max-memory", "5MiB"]
        document, table = run(*limit)
        self.assertIn("--max-memory 5MiB", table)
        precision = document["results"][0]["precision"]
        self.assertEqual(precision["ended_by"], "max-memory")
        self.assertEqual(precision["max_memory_bytes"], 5 << 20)
        self.assertGreater(document["results"][0]["committed"], 0)
        self.assertEqual(document["trace_digest"], run(*limit)[0]["trace_digest"])
        longer = run("--precision", "0.01", "--max-memory", "7MiB")[0]
        self.assertGreater(longer["sim_seconds"], document["sim_seconds"])

    def test_the_usual_limit_of_memory_is_not_part_of_a_command(self):
        document = run("--max-commits", "5000")[0]
        self.assertEqual(document["config"]["max-memory"], "auto")
        self.assertNotIn("max-memory", document["config"]["command_line"])
        self.assertIsNone(document["results"][0]["precision"]["max_memory_bytes"])

    def test_fewer_transactions_are_enough_to_verify(self):
        document, table = run("--precision", "0.01", "--verify")
        self.assertEqual(document["config"]["max-commits"], 100000)
        self.assertIn("--max-commits came first", table)
        total = document["results"][0]["counters"]["total"]
        self.assertGreater(total, 100000)
        self.assertLess(total, 400000)
        asked = run("--precision", "1", "--verify", "--max-commits", "3000000")[0]
        self.assertEqual(asked["config"]["max-commits"], 3000000)

    def test_a_verified_run_is_made_again_for_a_time(self):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            self.assertEqual(started("run", *SMALL, "--verify", "--json", file.name).returncode, 0)
            again = started("run", "--config", file.name, "--duration", "100us", "--warmup", "0s")
            self.assertEqual(again.returncode, 0, again.stderr)

    def test_a_run_for_a_time_measures_for_that_time(self):
        document, table = run("--duration", "700us")
        self.assertAlmostEqual(document["results"][0]["seconds"], 700e-6)
        self.assertAlmostEqual(document["warm_up_seconds"], 500e-6)
        self.assertIsNone(document["results"][0]["precision"]["goal"])
        self.assertNotIn("found out", table)

    def test_a_run_of_so_many_transactions_is_as_long_as_they_take(self):
        document = run("--duration", "1s", "--warmup", "0s", "--set", "run.max_transactions=50")[0]
        result = document["results"][0]
        self.assertLess(result["seconds"], 0.01)
        self.assertAlmostEqual(result["throughput_per_s"], result["committed"] / result["seconds"], delta=1)

    def test_only_the_simulation_finds_out(self):
        for arguments in (["run", "--fabric", "verbs"], ["bench", "read"]):
            done = started(*arguments, "--duration", "auto")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--duration auto", done.stderr)

    def test_what_waits_for_a_time_out_is_waited_for(self):
        """Lost datagrams are sent again after milliseconds: no run ends before it has seen some of them end."""
        for seed in ("1", "2", "3"):
            document = run("--system", "fasst-occ", "--set", "fabric.ud_loss=0.002", "--precision", "20", "--seed", seed)[0]
            self.assertGreater(document["sim_seconds"], 0.01)

    def test_what_has_no_effect_is_refused(self):
        for arguments in (["--duration", "1ms", "--precision", "5"], ["--duration", "1ms", "--max-commits", "5000"],
                          ["--duration", "1ms", "--max-memory", "3GiB"], ["--max-memory", "3"], ["--max-memory", "1KiB"],
                          ["--arrivals", "fixed"], ["--rate", "1000", "--set", "run.max_transactions=5"],
                          ["--warmup", "5ms", "--max-duration", "4ms"]):
            done = started("run", *SMALL, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_percentiles_of_few_transactions_are_left_out(self):
        table = run("--duration", "100us", "--coroutines", "1")[1]
        row = next(line for line in table.splitlines() if line.startswith("  all"))
        self.assertEqual(row.split()[4], "-", row)
        many = next(line for line in run("--precision", "0.5")[1].splitlines() if line.startswith("  all"))
        self.assertNotIn("-", many)


class OpenLoopTest(unittest.TestCase):
    def rate(self, per_second, *arguments):
        document, table = run("--rate", str(per_second), "--duration", "5ms", *arguments)
        return document["results"][0], table

    def writes(self):
        closed = run("--duration", "2ms")[0]["results"][0]
        return closed["counters"]["nic.verbs.write"] / closed["committed"]

    def test_what_is_offered_is_done(self):
        for arrivals in ("poisson", "fixed"):
            result, table = self.rate(400_000, "--arrivals", arrivals)
            done = (result["committed"] + result["aborted"]["rolled_back"]) / result["seconds"]
            self.assertAlmostEqual(done / 400_000, 1, delta=0.07)
            self.assertEqual(result["in_flight_us"]["not_begun"], 0)
            self.assertIn("offered         400 ktxn/s", table)
            self.assertEqual(result["bound_by"]["resource"], "offered rate")
            # Requests per transaction are of the measured time, however rarely a worker has one.
            self.assertAlmostEqual(result["counters"]["nic.verbs.write"] / result["committed"], self.writes(), delta=0.4)

    def test_chance_makes_transactions_meet(self):
        by_chance = self.rate(1_000_000)[0]["latency_us"]
        even = self.rate(1_000_000, "--arrivals", "fixed")[0]["latency_us"]
        self.assertGreater(by_chance["p90"], 1.2 * even["p90"])

    def test_latency_is_from_when_a_transaction_was_due(self):
        calm = self.rate(200_000)[0]
        busy, table = self.rate(50_000_000)
        self.assertLess(busy["throughput_per_s"], 45e6)
        self.assertGreater(busy["latency_us"]["mean"], 20 * calm["latency_us"]["mean"])
        self.assertGreater(busy["in_flight_us"]["not_begun"], 1000)
        self.assertNotEqual(busy["bound_by"]["resource"], "offered rate")
        self.assertRegex(table, r"in flight .* of them due and not begun")
        self.assertIn("mean latency does not come to rest", table)


if __name__ == "__main__":
    unittest.main()
