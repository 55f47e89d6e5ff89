#!/usr/bin/env python3
"""`verbena hunt`: random runs, what becomes of those that fail, and the exit codes that say so."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = os.path.realpath(sys.argv.pop(1))


def start(*arguments):
    """The exit code and both outputs."""
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def read(file):
    with open(file, encoding="utf-8") as stream:
        return json.load(stream)


def number(text, pattern):
    return int(re.search(pattern, text).group(1))


class HuntTest(unittest.TestCase):
    def test_finds_nothing_where_nothing_is_wrong(self):
        code, text, _ = start("hunt", "--seeds", "30", "--twice", "30")
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"(?m)^seeds +30 from 1 on, [\d.]+ per second; ")
        self.assertRegex(text, r"(?m)^failures +0$")
        self.assertGreater(number(text, r"(\d+) of these twice"), 3)
        self.assertEqual(number(text, r"(\d+) were run"), 30)
        self.assertRegex(text, r"(?m)^systems .*drtmh \d+")
        self.assertRegex(text, r"(?m)^workloads .*stress \d+")

    def test_tells_what_no_run_has_come_to(self):
        code, text, _ = start("hunt", "--seeds", "30", "--set", "rdma.rpc_transport=ud", "--set", "fabric.ud_loss=0.02")
        self.assertEqual(code, 0, text)
        missed = re.findall(r"(?m)^never reached +(.*)$", text)
        reached = number(text, r"(?m)^points +(\d+) of \d+ reached$")
        self.assertEqual(number(text, r"(?m)^points +\d+ of (\d+) reached$") - reached, len(missed))
        self.assertGreater(reached, 30)
        self.assertIn("si2pc: entry got another key before it was read", missed)
        self.assertNotIn("rpc: message waits for room in a peer's ring", missed, "no run could come to it")
        self.assertNotIn("rpc: request repeated", missed)

    def test_a_failure_is_shrunk_and_can_be_repeated(self):
        # So little patience takes an ordinary conflict for a livelock.
        code, text, _ = start("hunt", "--workload", "stress", "--set", "run.patience=10us", "--twice", "0")
        self.assertEqual(code, 6, text)
        seed = number(text, r"(?m)^stuck +seed (\d+): node \d+, worker \d+, coroutine \d+: a transaction has been tried for ")
        self.assertRegex(text, r"(?m)^failures +1$")
        lines = [re.search(r"(?m)^%s +verbena (.*)$" % name, text).group(1) for name in ("smallest", "as drawn")]
        self.assertLess(len(lines[0]), len(lines[1]))
        self.assertIn("--seed %d " % seed, lines[1])
        for line in lines:
            code, _, error = start(*shlex.split(line))
            self.assertEqual(code, 6, line)
            self.assertIn("last attempt was aborted by ", error)

    def test_goes_on_when_told_to(self):
        _, text, _ = start("hunt", "--seeds", "50", "--set", "run.patience=10us", "--go-on", "--no-shrink")
        failures = number(text, r"(?m)^failures +(\d+)$")
        self.assertGreater(failures, 10)
        self.assertEqual(len(re.findall(r"(?m)^stuck ", text)), failures)
        self.assertEqual(len(re.findall(r"(?m)^as drawn ", text)), failures)
        self.assertNotIn("smallest", text)

    def test_a_run_that_loses_all_its_messages_is_stuck(self):
        code, text, _ = start("hunt", "--seeds", "20", "--system", "fasst", "--set", "fabric.ud_loss=1",
                              "--set", "rdma.rpc_transport=ud", "--no-shrink")
        self.assertEqual(code, 6, text)

    def test_bad_input_is_refused(self):
        for arguments, why in (
            (["--set", "nodes=none"], "nodes none"),
            (["--set", "no.such=1"], "unknown key"),
            (["--workload", "smallbank", "--set", "workload.records=3"], "is a parameter of --workload ycsb and stress"),
            (["--seeds", "0"], "expected a whole number from 1"),
            (["--seeds", "7..6"],
             "--seeds 7..6: ends before it begins; expected a range whose last seed is not below its first, such as 5001..6000\n"),
            (["--seeds", "7..x"], "expected a whole number from 1 to 1000000000000, or a range of seeds such as 5001..6000"),
            (["--system", "prims"], "--system prims: unknown system; did you mean prism-kv?"),
            (["--set", "tx.abort=undo"], "--set tx.abort: is a parameter of --system prism-tx only; hunt with one that has it"),
            (["--set", "workload.records=3"], "--set workload.records: is a parameter of --workload ycsb and stress only; hunt with one"),
            (["--seeds", "7..9", "--from", "3"], "--seeds 7..9: a range has its own first seed; leave out --from 3"),
            (["a.json"], "unexpected argument 'a.json' of hunt; only --merge takes files"),
            (["--merge", "a.json"], "hunt --merge: expected two files or more"),
            (["--merge", "a.json", "b.json", "--seeds", "5"], "--seeds: not allowed with --merge, which runs nothing"),
            (["--merge", "a.json", "b.json", "--set", "nodes=3"], "--set nodes: not allowed with --merge, which runs nothing"),
            (["--merge", "/no/such.json", "/no/other.json"], "/no/such.json"),
            (["--json", "/no/such/directory/a.json"], "--json /no/such/directory/a.json"),
            (["--for", "1us"], "expected a time from 1s"),
            (["--system", "none"], "--system none"),
            (["--set", "system=farm"], "--set system: cannot be set in a hunt; use --system"),
            (["--set", "seed=3"], "--set seed: cannot be set, since each run of a hunt has its own"),
        ):
            code, _, error = start("hunt", *arguments)
            self.assertEqual(code, 2, error)
            self.assertIn(why, error)
            self.assertEqual(len(error.splitlines()), 1)

    def test_seeds_are_drawn_again_until_their_settings_go_together(self):
        # Systems without plans cannot have it, nor those that lock as they read: nine of sixteen; of the others some plan always can.
        code, text, _ = start("hunt", "--seeds", "40", "--set", "plan=execute=one-sided", "--twice", "0")
        self.assertEqual(code, 0, text)
        refused = number(text, r"(\d+) refused")
        self.assertEqual(number(text, r"(\d+) were run") + refused, 40)
        self.assertLess(refused, 26)
        self.assertNotRegex(text, r"(?m)^systems .*(nam|kv|pilaf|abdlock|prism)")

    def test_the_run_of_a_seed_that_was_drawn_again_is_the_same_by_itself(self):
        refusing = ["--set", "plan=execute=one-sided", "--set", "run.patience=10us", "--twice", "0", "--no-shrink"]
        _, text, _ = start("hunt", "--seeds", "30", "--go-on", *refusing)
        drawn = dict(re.findall(r"(?m)^stuck +seed (\d+): .*\n(?:.*\n)*?as drawn +(.*)$", text))
        self.assertGreater(len(drawn), 5)
        for seed, line in drawn.items():
            _, alone, _ = start("hunt", "--from", seed, "--seeds", "1", *refusing)
            self.assertIn(line, alone)

    def test_what_is_set_brings_along_what_it_needs(self):
        # Systems with quorums have no room on two nodes.
        for arguments in (["nodes=2", "--system", "farm"], ["fabric.chaos_meet=0.1"]):
            code, text, _ = start("hunt", "--seeds", "5", "--twice", "0", "--set", *arguments)
            self.assertEqual(code, 0, text)
            self.assertEqual(number(text, r"(\d+) were run"), 5)

    def test_a_hunt_in_which_nothing_can_run_tells_why(self):
        code, text, error = start("hunt", "--seeds", "5", "--system", "drtmr", "--set", "plan=execute=one-sided,execute.locks=on")
        self.assertEqual(code, 2, text)
        self.assertIn("none of 5 seeds can be run; the reason for the last: plan 'drtmr': execute.locks is on and phase", error)
        self.assertEqual(len(error.splitlines()), 1)

    def hunted(self, *arguments):
        """The document of a hunt that nobody is to fail for."""
        file = os.path.join(self.directory, "%d.json" % len(os.listdir(self.directory)))
        code, text, error = start("hunt", "--go-on", "--no-shrink", "--twice", "0", "--json", file, *arguments)
        self.assertIn(code, (0, 6), text + error)
        return file, read(file), text

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def test_a_range_of_seeds_is_what_it_says(self):
        _, document, text = self.hunted("--seeds", "17..26")
        self.assertEqual(document["seeds"], [{"first": 17, "last": 26}])
        self.assertRegex(text, r"(?m)^seeds +10 from 17 on, ")

    def test_a_document_tells_all_that_the_text_does(self):
        _, document, text = self.hunted("--seeds", "40", "--system", "drtmh", "--set", "run.patience=10us")
        self.assertEqual(document["schema"], {"name": "verbena.hunt", "version": 1})
        self.assertEqual(document["ground"]["systems"], ["drtmh"])
        self.assertEqual(document["ground"]["sets"], {"run.patience": "10us"})
        self.assertEqual(document["runs"] + document["refused"], 40)
        self.assertEqual(sum(document["systems"]["drtmh"].values()), document["runs"])
        self.assertEqual(document["systems"]["drtmh"]["stuck"], len(document["failures"]))
        self.assertEqual(sum(sum(one.values()) for one in document["workloads"].values()), document["runs"])
        self.assertEqual(document["points"]["never_reached"], re.findall(r"(?m)^never reached +(.*)$", text))
        self.assertGreater(document["wall_seconds"], 0)
        self.assertIn("--seeds 40", document["command_line"])
        self.assertIn("--set run.patience=10us", document["command_line"])
        for failure in document["failures"]:
            self.assertEqual((failure["outcome"], failure["system"], failure["smallest"]), ("stuck", "drtmh", None))
            self.assertIn(failure["as_drawn"], text)

    def test_hunts_of_several_machines_are_as_one(self):
        ground = ["--workload", "stress", "--set", "run.patience=10us"]
        files = [self.hunted("--seeds", seeds, *ground)[0] for seeds in ("21..40", "1..20")]
        _, whole, _ = self.hunted("--seeds", "1..40", *ground)
        merged = os.path.join(self.directory, "merged.json")
        code, text, error = start("hunt", "--merge", *files, "--json", merged)
        self.assertEqual(code, 6, error)
        self.assertRegex(text, r"(?m)^seeds +40 from 1 on, ")
        document = read(merged)
        for differs in ("command_line", "wall_seconds"):
            del whole[differs], document[differs]
        self.assertEqual(document, whole)

    def test_hunts_that_do_not_go_together_are_refused(self):
        one, document, _ = self.hunted("--seeds", "1..4")
        others = {"overlaps": self.hunted("--seeds", "4..6")[0], "ground": self.hunted("--seeds", "5..6", "--system", "nam")[0]}
        for name, change in (("commit", {"commit": "another", "seeds": [{"first": 9, "last": 9}]}),
                             ("version", {"schema": {"name": "verbena.hunt", "version": 2}}),
                             ("backwards", {"seeds": [{"first": 9, "last": 8}]}),
                             ("none", None)):
            others[name] = os.path.join(self.directory, name)
            with open(others[name], "w", encoding="utf-8") as file:
                json.dump(dict(document, **change) if change else [], file)
        for name, why in (("overlaps", "both have tried seed 4"), ("ground", "were made with different systems, workloads or settings"),
                          ("commit", "were made by different programs"), ("version", "has another schema; expected verbena.hunt version 1"),
                          ("backwards", "a range of seeds ends before it begins"), ("none", "is not a document that hunt --json wrote")):
            code, _, error = start("hunt", "--merge", one, others[name])
            self.assertEqual(code, 2, name)
            self.assertIn(why, error)
            self.assertEqual(len(error.splitlines()), 1)

    def test_ci_systems_read_what_was_found(self):
        file = os.path.join(self.directory, "hunt.xml")
        _, document, _ = self.hunted("--seeds", "40", "--set", "run.patience=10us", "--junit", file)
        suites = xml.etree.ElementTree.parse(file).getroot()
        self.assertEqual(suites.tag, "testsuites")
        self.assertEqual({suite.get("name") for suite in suites}, {"hunt." + system for system in document["systems"]})
        cases = suites.findall("testsuite/testcase")
        self.assertEqual(int(suites.get("tests")), len(cases))
        failed = suites.findall("testsuite/testcase/failure")
        self.assertEqual(int(suites.get("failures")), len(failed))
        self.assertEqual(sorted((one.get("type"), one.get("message")) for one in failed),
                         sorted((one["outcome"], one["why"]) for one in document["failures"]))
        self.assertGreater(len(failed), 0)
        for suite in suites:
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
            self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))

    def test_documents_are_files_of_their_own(self):
        for json_file, junit_file in (("-", "-"), ("x", "./x")):
            code, _, error = start("hunt", "--seeds", "1", "--json", json_file, "--junit", junit_file)
            self.assertEqual(code, 2)
            self.assertEqual(error, "verbena: --junit %s: --json writes the same file\n" % junit_file)

    def test_ends_after_its_time(self):
        code, text, _ = start("hunt", "--seeds", "1000000", "--for", "1s")
        self.assertEqual(code, 0, text)
        self.assertLess(number(text, r"(?m)^seeds +(\d+) from"), 100000)


if __name__ == "__main__":
    unittest.main()
