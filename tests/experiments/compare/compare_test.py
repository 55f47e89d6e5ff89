#!/usr/bin/env python3
"""`verbena compare`: what differs beyond chance between results, files and commands, and the exit code that says so."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))
HERE = os.environ["TEST_TMPDIR"]
# Small, and steady from the beginning.
RUN = "run --nodes 3 --threads 2 --coroutines 2 --warmup 200us --duration 1ms"


def start(*arguments, code=0):
    """Runs the program, which has to end with `code`."""
    done = subprocess.run([PROGRAM, *arguments], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != code:
        raise AssertionError("exit code %d of %s\n%s%s" % (done.returncode, arguments, done.stdout, done.stderr))
    return done


def results(name, line):
    """Measures, and returns the name of the file of results."""
    start(*line.split(), "--json", name)
    return name


def compared(*arguments, code=0):
    return json.loads(start("compare", *arguments, "--json", "-", code=code).stdout)


class Files(unittest.TestCase):
    def test_of_the_same_run_are_identical(self):
        one, other = results("one.json", RUN), results("other.json", RUN)
        document = compared(one, other)
        self.assertFalse(document["worse"])
        self.assertTrue(document["points"][0]["identical"])
        self.assertEqual(document["points"][0]["quantities"]["throughput"]["ratio"], 1)

    def test_of_series_are_identical_point_by_point(self):
        for line in (RUN + " --seed 1,2 --x seed", RUN + " --repeat 2", "bench read --nodes 2 --duration 20us --payload 8,64"):
            one, again = results("points.json", line), results("points-again.json", line)
            for other in one, again:
                document = compared(one, other)
                self.assertEqual([point["identical"] for point in document["points"]], [True] * len(document["points"]))
                self.assertEqual({what["judgement"] for point in document["points"] for what in point["quantities"].values()}, {"same"})
                table = start("compare", one, other).stdout
                self.assertIn("B is not worse: A and B are identical in all measured values", table)
                self.assertNotIn("chance", table)

    def test_tell_points_that_are_identical_from_others(self):
        before, after = results("b.json", RUN + " --set run.max_transactions=0,100000,200000,300000"), "a.json"
        document = json.load(open(os.path.join(HERE, before), encoding="utf-8"))
        document["results"][0]["throughput_per_s"] *= 1.5
        with open(os.path.join(HERE, after), "w", encoding="utf-8") as file:
            json.dump(document, file)
        self.assertEqual([point["identical"] for point in compared(before, after)["points"]], [False, True, True, True])
        self.assertIn("of 3 quantities, 0 are worse, 1 better, 2 unchanged within chance; 3 points are identical",
                      start("compare", before, after).stdout)

    def test_of_other_windows_of_the_same_run_are_not_identical(self):
        line = "run --nodes 3 --threads 2 --coroutines 2 --warmup %dus --duration %dus"
        one, other = results("early.json", line % (200, 800)), results("late.json", line % (600, 400))
        self.assertFalse(compared(one, other)["points"][0]["identical"])

    def test_of_other_seeds_do_not_differ_beyond_chance(self):
        first = results("seed-1.json", RUN + " --seed 1")
        for seed in "2", "3", "4":
            document = compared(first, results("seed-n.json", RUN + " --seed " + seed))
            low, high = document["points"][0]["quantities"]["throughput"]["interval_95"]
            self.assertLess(low, high)
            self.assertEqual(document["differ_in"], {"seed": ["1", seed]})

    def test_of_a_slower_plan_are_worse(self):
        slow = results("slow.json", RUN + " --system two-sided")
        fast = results("fast.json", RUN)
        document = compared(fast, slow, code=1)
        throughput = document["points"][0]["quantities"]["throughput"]
        self.assertEqual(throughput["judgement"], "worse")
        self.assertLess(throughput["interval_95"][1], 1)
        phases = document["points"][0]["phases_us"]
        latency = document["points"][0]["quantities"]["mean"]
        for side, name in enumerate(("before", "after")):
            before_end = sum(times[side] for phase, times in phases.items() if phase != "commit")
            self.assertAlmostEqual(before_end, latency[name], places=6, msg="the commit comes behind the end of latency")
        self.assertEqual(compared(slow, fast)["points"][0]["quantities"]["throughput"]["judgement"], "better")
        lost = 100 * (1 - throughput["ratio"])
        self.assertEqual(compared(fast, slow, "--tolerance", "95")["points"][0]["quantities"]["throughput"]["judgement"],
                         "worse, tolerated")
        self.assertGreater(lost, 1)

    def test_of_intervals_that_no_run_has_are_refused(self):
        whole = open(os.path.join(HERE, results("whole.json", RUN))).read()
        for member, value, said in (
            ("half_width_95", -5, "half_width_95 -5; allowed are numbers from 0 on"),
            ("degrees_of_freedom", -1, "degrees_of_freedom -1; allowed are numbers from 0 on"),
        ):
            document = json.loads(whole)
            document["results"][0]["precision"]["throughput_per_s"][member] = value
            with open(os.path.join(HERE, "forged.json"), "w", encoding="utf-8") as file:
                json.dump(document, file)
            refused = start("compare", "whole.json", "forged.json", code=2)
            self.assertEqual(refused.stderr.count("\n"), 1)
            self.assertIn("forged.json: holds no results: " + said, refused.stderr)

    def test_of_measurements_whose_parts_are_all_alike_know_no_interval(self):
        alike = "bench read --nodes 2 --threads 1 --coroutines 1 --window 1 --clients 1 --payload 4097"
        results("alike.json", alike)
        throughput = compared("alike.json", "alike.json")["points"][0]["quantities"]["throughput"]
        self.assertEqual(throughput["ratio"], 1)

    def test_of_series_are_compared_point_by_point(self):
        line = "run --nodes 3 --threads 2 --warmup 200us --duration 1ms --repeat 3 --coroutines "
        before = results("before.json", line + "1,2")
        after = results("after.json", line + "2,1,4")
        document = compared(before, after)
        self.assertEqual([point["values"] for point in document["points"]], [{"coroutines": "1"}, {"coroutines": "2"}])
        self.assertEqual(document["unmatched"], 1)
        for point in document["points"]:
            self.assertEqual(point["runs"], [3, 3])
            self.assertEqual(point["quantities"]["throughput"]["ratio"], 1)
            self.assertIsNotNone(point["quantities"]["p50"]["interval_95"])


class IgnoredConflicts(unittest.TestCase):
    def test_are_told_of_the_side_that_has_them(self):
        isolated, ignoring = results("isolated.json", RUN), results("ignoring.json", RUN + " --set plan.ignore_conflicts=true")
        for sides, where in (((isolated, ignoring), "B"), ((ignoring, isolated), "A"), ((ignoring, ignoring), "A and B")):
            told = subprocess.run([PROGRAM, "compare", *sides], cwd=HERE, stdout=subprocess.PIPE, text=True, check=False).stdout
            self.assertIn("conflicts are ignored in %s: the results there are not serializable" % where, told)
            document = json.loads(subprocess.run([PROGRAM, "compare", *sides, "--json", "-"], cwd=HERE, stdout=subprocess.PIPE, text=True,
                                                 check=False).stdout)
            self.assertEqual([document[side]["conflicts_ignored"] for side in ("before", "after")], [name == ignoring for name in sides])
        self.assertNotIn("conflicts are ignored", start("compare", isolated, isolated).stdout)


class Commands(unittest.TestCase):
    def test_are_measured_first(self):
        document = compared(RUN, RUN + " --system two-sided", "--repeat", "2", code=1)
        self.assertEqual(document["points"][0]["runs"], [2, 2])
        self.assertEqual(document["differ_in"]["system"], ["drtmh", "two-sided"])

    def test_may_be_files_of_settings(self):
        with open(os.path.join(HERE, "a.toml"), "w", encoding="utf-8") as file:
            file.write('nodes = 3\nthreads = 2\nduration = "500us"\nwarmup = "100us"\n')
        with open(os.path.join(HERE, "b.toml"), "w", encoding="utf-8") as file:
            file.write('nodes = 3\nthreads = 2\nduration = "500us"\nwarmup = "100us"\nplan = "commit=one-sided"\n')
        document = compared("a.toml", "b.toml", "--set", "coroutines=2")
        self.assertTrue(document["points"][0]["identical"], "a hybrid commit is one-sided already")
        self.assertIn("--coroutines 2", document["before"]["command_line"])

    def test_of_bench_need_several_runs(self):
        line = "bench read --nodes 2 --threads 2 --duration 20us --warmup 5us"
        done = start("compare", line, line + " --payload 2048", code=2)
        self.assertIn("--repeat", done.stderr)
        self.assertEqual(compared(line, line + " --payload 2048", "--repeat", "3", code=1)["worse"], True)


class Refusals(unittest.TestCase):
    def test_of_runs_have_their_exit_code_where_all_are_alike(self):
        refused = RUN + " --workload tpcc --system nam --set nam.longest_transaction=10us"
        nothing = "run --nodes 3 --threads 1 --warmup 1us --duration 1us"
        for sides, code in (((refused, refused + " --seed 2"), 2), ((RUN, refused), 2), ((nothing, RUN), 5), ((refused, nothing), 5)):
            done = start("compare", *sides, code=code)
            self.assertEqual(done.stdout, "")
            self.assertIn("verbena: point failed: ", done.stderr)

    def refused(self, part, *arguments):
        done = start("compare", *arguments, code=2)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(done.stdout, "")

    def test_say_what_is_wrong(self):
        good = results("good.json", RUN)
        self.refused("two results or commands", good)
        self.refused("missing.json", good, "missing.json")
        with open(os.path.join(HERE, "bad.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": {}}')
        self.refused("bad.json: holds no results", good, "bad.json")
        self.refused("has results of 'run', but bench.json has results of 'bench read'", good,
                     results("bench.json", "bench read --nodes 2 --duration 20us"))
        self.refused("run --nodez 3: unknown flag --nodez", good, "run --nodez 3")
        self.refused("no point in common", results("l1.json", RUN + " --seed 1 --set run.max_transactions=0,100000"),
                     results("l2.json", RUN + " --set run.max_transactions=200000,300000"))
        self.refused("--repeat: applies only to sides that are measured", good, good, "--repeat", "3")


if __name__ == "__main__":
    unittest.main()
