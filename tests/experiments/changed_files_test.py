#!/usr/bin/env python3
"""Results tell the contents of files that they depend on: who repeats or compares them is told which of these changed."""

import json
import os
import re
import subprocess
import unittest

from starting import PROGRAM, SHORT, StartingTest

PLATFORM = ("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version='4.1'>"
            "<cluster id='c' prefix='h' suffix='' radical='0-2' speed='1Gf' bw='12.5GBps' lat='%dns'/></platform>")
CHANGED = "%s is not as it was when %s was written"


class ChangedFiles(StartingTest):
    def setUp(self):
        super().setUp()
        self.file = self.path("own.xml")

    def measure(self, latency_ns, name):
        """The document of a run on a platform of this latency."""
        self.write("own.xml", PLATFORM % latency_ns)
        self.accept("run", *SHORT, "--platform", "own.xml", "--json", name)
        return json.loads(self.read(name))

    def test_are_told_by_who_repeats_the_results(self):
        first = self.measure(100, "m.json")
        self.assertRegex(first["config"]["files"][self.file], "^[0-9a-f]{16}$")
        same = self.start("run", "--config", "m.json", "--json", "same.json", code=0)
        self.assertEqual(same.stderr, "")
        self.assertEqual(json.loads(self.read("same.json"))["config"], dict(first["config"], json="same.json"))
        self.write("own.xml", PLATFORM % 900)
        done = self.start("run", "--config", "m.json", "--json", "other.json", code=0)
        self.assertEqual(done.stderr, "verbena: note: %s: results may differ\n" % (CHANGED % (self.file, "m.json")))
        other = json.loads(self.read("other.json"))
        self.assertNotEqual(other["trace_digest"], first["trace_digest"])
        self.assertNotEqual(other["config"]["files"], first["config"]["files"])

    def test_are_told_of_series(self):
        self.write("own.xml", PLATFORM % 100)
        self.accept("bench", "read", *SHORT, "--platform", "own.xml", "--payload", "8,64", "--json", "m.json")
        self.write("own.xml", PLATFORM % 900)
        done = self.start("bench", "--config", "m.json", code=0)
        self.assertIn("note: " + CHANGED % (self.file, "m.json"), done.stderr)

    def test_are_not_told_where_another_file_is_named(self):
        self.measure(100, "m.json")
        self.write("own.xml", PLATFORM % 900)
        self.write("new.xml", PLATFORM % 100)
        done = self.start("run", "--config", "m.json", "--platform", "new.xml", code=0)
        self.assertEqual(done.stderr, "")

    def test_are_told_of_sides_that_are_compared(self):
        self.measure(100, "a.json")
        self.assertNotIn("own.xml is", self.start("compare", "a.json", "a.json", code=0).stdout)
        self.measure(101, "b.json")
        told = self.start("compare", "a.json", "b.json", "--tolerance", "50", "--json", "c.json", code=0).stdout
        self.assertRegex(told, r"(?m)^differ in +contents of " + re.escape(self.file) + "$")
        self.assertRegex(told, "(?m)^changed since +" + CHANGED % (re.escape(self.file), "A") + "$")
        self.assertNotIn(CHANGED % (self.file, "B"), told)
        document = json.loads(self.read("c.json"))
        self.assertEqual(document["different_files"], [self.file])
        self.assertEqual([document[side]["changed_files"] for side in ("before", "after")], [[self.file], []])

    def test_are_told_where_only_one_side_names_them(self):
        self.measure(100, "with.json")
        self.accept("run", *SHORT, "--json", "without.json")
        for sides, name in ((("with.json", "without.json"), "A"), (("without.json", "with.json"), "B")):
            told = self.start("compare", *sides, "--tolerance", "90", "--json", "c.json", code=0).stdout
            self.assertRegex(told, "(?m)^named by %s only +%s$" % (name, re.escape(self.file)))
            document = json.loads(self.read("c.json"))
            self.assertEqual([document[side]["own_files"] for side in ("before", "after")],
                             [[self.file] if side == "with.json" else [] for side in sides])
        self.assertNotIn("named by", self.start("compare", "with.json", "with.json", code=0).stdout)

    def test_are_not_compared_with_a_document_that_does_not_tell_them(self):
        document = self.measure(100, "new.json")
        del document["config"]["files"]
        self.write("old.json", json.dumps(document))
        told = self.start("compare", "new.json", "old.json", "--json", "c.json", code=0).stdout
        self.assertRegex(told, "(?m)^not compared +%s, of A: old.json has no config.files$" % re.escape(self.file))
        self.assertNotIn("named by", told)
        document = json.loads(self.read("c.json"))
        self.assertEqual([document[side]["own_files"] for side in ("before", "after")], [None, []])

    def test_are_told_where_they_are_gone(self):
        self.measure(100, "a.json")
        os.remove(self.file)
        told = self.start("compare", "a.json", "a.json", "--json", "c.json", code=0).stdout
        self.assertRegex(told, r"(?m)^gone since +" + re.escape(self.file) + ", of A$")
        document = json.loads(self.read("c.json"))
        self.assertEqual([document[side]["gone_files"] for side in ("before", "after")], [[self.file]] * 2)

    def test_are_the_same_in_another_directory(self):
        series = ["run", *SHORT, "--platform", "own.xml,far.xml", "--vary-seed"]
        places = {name: self.path(name) for name in ("here", "there")}
        for shard, (name, place) in enumerate(places.items(), 1):
            os.mkdir(place)
            self.write(os.path.join(name, "own.xml"), PLATFORM % 100)
            self.write(os.path.join(name, "far.xml"), PLATFORM % 900)
            self.start_in(place, *series, "--json", "../%s.json" % name)
            self.start_in(place, *series, "--shard", "%d/2" % shard, "--out", "../part-%d" % shard)
        here, there = (json.loads(self.read(name + ".json")) for name in places)
        self.assertEqual(here["results"], there["results"])
        self.assertEqual(here["results"][0]["values"]["platform"], "own.xml")
        told = self.start("compare", "here.json", "there.json", code=0).stdout
        self.assertIn("identical", told)
        self.assertNotIn("differ in", told)
        self.assertNotIn("named by", told)
        gathered = self.start_in(places["here"], *series, "--out", "../all", "--gather", "../part-1,../part-2")
        self.assertIn("2: 2 measured before", gathered)
        again = here["config"]["command_line"].split()[1:]
        self.assertEqual(json.loads(self.start("%s" % again[0], *again[1:], "--json", "-", code=0).stdout)["trace_digest"],
                         here["trace_digest"])

    def start_in(self, directory, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=directory, check=True, timeout=60, text=True, stdout=subprocess.PIPE).stdout

    def test_are_told_of_a_side_that_is_measured_by_results(self):
        self.measure(100, "a.json")
        self.write("own.xml", PLATFORM % 101)
        done = self.start("compare", "a.json", "run --config a.json", "--tolerance", "50", code=0)
        self.assertIn("note: " + CHANGED % (self.file, "a.json"), done.stderr)
        self.assertIn("contents of " + self.file, done.stdout)


if __name__ == "__main__":
    unittest.main()
