#!/usr/bin/env python3
"""Files that users hand in, whatever they are: those that an editor began with a mark are read, and what is no file, or holds nonsense, is
refused in one line in our words."""

import json
import os
import re
import subprocess
import unittest

from starting import PROGRAM, SHORT, StartingTest

MARK = b"\xef\xbb\xbf"
RESULTS = {"schema": {"name": "verbena.results", "version": 2}}
HALF_NIC = b"""description = "half a NIC"
fabric = "edr-switch"
port_gbps = { value = 100, unit = "Gb/s", source = "none" }
"""
HALF_SYSTEM = b"""description = "half a system"
source = "none"
[execute]
primitive = "two-sided"
"""
PLATFORM = """<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">
<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>%s
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>"""

CHANGING_LINK = '<link id="l" bandwidth="100Gbps" latency="1us" bandwidth_file="rates.txt"/>'
BENCH = ["bench", "read", "--nodes", "2"]


def results_with(**config):
    """The text of a result file of `run` with these settings."""
    return json.dumps({**RESULTS, "config": {"command": "run", **config}})


class MarkedFiles(StartingTest):
    def test_configurations(self):
        self.write("marked.toml", MARK + b"threads = 2\n")
        self.write("marked.json", MARK + results_with(threads=2).encode())
        for file in ("marked.toml", "marked.json"):
            with self.subTest(file):
                text = self.accept("run", "--config", file, "--nodes", "3", "--duration", "100us", "--warmup", "20us")
                self.assertIn("3 nodes x 2 threads", text)

    def test_profiles_and_systems_come_as_far_as_without_it(self):
        for mark in (b"", MARK):
            self.write("half.toml", mark + HALF_NIC)
            self.refuse("half.toml': constant 'ports' is missing", "run", *SHORT, "--nic", "half.toml")
            self.write("half.toml", mark + HALF_SYSTEM)
            self.refuse(r"half.toml:1: table \[lock\] is missing", "run", *SHORT, "--system", "./half.toml")

    def test_results_that_are_compared(self):
        self.accept("run", *SHORT, "--json", "plain.json")
        with open(self.path("plain.json"), "rb") as file:
            self.write("marked.json", MARK + file.read())
        self.assertIn("B is not worse", self.accept("compare", "plain.json", "marked.json"))

    def test_platforms(self):
        self.write("marked.xml", MARK + (PLATFORM % '<link id="l" bandwidth="100Gbps" latency="1us"/>').encode())
        self.refuse("marked.xml: begins with a byte order mark; expected UTF-8 without one", *BENCH, "--platform", "marked.xml")


class NoFiles(StartingTest):
    def test_pipes_devices_and_directories(self):
        os.mkfifo(self.path("pipe"))
        os.mkdir(self.path("folder"))
        kinds = {
            "pipe": ("pipe", "is a pipe; expected a regular file"),
            "zero": ("/dev/zero", "is a device; expected a regular file"),
            "folder": ("folder", "is a directory"),
        }
        for kind, (target, why) in kinds.items():
            for suffix in ("toml", "xml", "json"):
                os.symlink(target, self.path("%s.%s" % (kind, suffix)))
            toml, xml, results = ("%s.%s" % (kind, suffix) for suffix in ("toml", "xml", "json"))
            for arguments in (
                ["run", *SHORT, "--nic", toml],
                ["run", *SHORT, "--cpu", toml],
                ["run", *SHORT, "--switch", toml],
                ["run", *SHORT, "--other-nodes", "2", "--other-nic", toml],
                ["run", *SHORT, "--platform", xml],
                ["run", *SHORT, "--system", "./" + toml],
                ["run", *SHORT, "--nic", "connectx-4," + toml],
                ["reproduce", "./" + toml, "--out", "out"],
            ):
                with self.subTest(arguments):
                    self.refuse(re.escape(why), *arguments)
            # These commands wait for a writer of a pipe.
            if kind == "pipe":
                continue
            for arguments in (
                ["run", *SHORT, "--config", toml],
                ["run", *SHORT, "--config", results],
                ["compare", results, results],
                ["hunt", "--merge", results, results],
            ):
                with self.subTest(arguments):
                    self.refuse(re.escape(why), *arguments)


class Pipes(StartingTest):
    """Input that a shell hands in by <(COMMAND), or through standard input, is read as a file is."""

    def shell(self, command):
        done = subprocess.run(["bash", "-c", command, PROGRAM], cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_configurations(self):
        line = '"$0" run --duration 100us --warmup 20us --config '
        for command in (line + "<(echo 'nodes = 3'; sleep 0.2; echo 'threads = 2')",
                        "printf 'nodes=3\\nthreads=2\\n' | " + line + "/dev/stdin"):
            with self.subTest(command):
                self.assertIn("3 nodes x 2 threads", self.shell(command))

    def test_results_whose_operation_they_tell(self):
        self.accept(*BENCH, "--duration", "20us", "--warmup", "5us", "--json", "read.json")
        self.assertIn("bench read", self.shell('"$0" bench --config <(cat read.json)'))
        self.assertIn("A and B are identical", self.shell('"$0" compare read.json <(cat read.json)'))

    def test_of_nonsense_are_told_by_line_and_column(self):
        done = subprocess.run(["bash", "-c", '"$0" run --config <(echo "nodes = = 3")', PROGRAM], stderr=subprocess.PIPE, text=True,
                              check=False, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^verbena: /dev/fd/\d+:1:\d+: [^\n]*\n$")


class Json(StartingTest):
    def refuse_config(self, pattern, content):
        self.write("config.json", content)
        self.refuse(pattern, "run", *SHORT, "--config", "config.json")

    def test_that_is_none(self):
        self.refuse_config("config.json: is empty", "")
        self.refuse_config("config.json: is empty", " \n")
        self.refuse_config("config.json:2:5: is not JSON", '{"a":\n   [}')
        self.refuse_config("config.json:1:6: ends before its JSON does", '{"a":')
        self.refuse_config("config.json: is not an object", "[1]")
        self.refuse_config("config.json: is JSON with numbers that are too large", '{"a": 1e999}')
        self.write("config.json", '{"a":\n   [}')
        self.refuse("config.json:2:5: is not JSON", "compare", "config.json", "config.json")

    def test_of_other_types(self):
        for value in (None, {"a": 1}, [], [[1]], [None]):
            with self.subTest(value):
                self.refuse_config("config.json: threads: expected a string, a number, true or false, or a list of these",
                                   results_with(threads=value))
        self.refuse_config("config.json: json: expected the name of one file", results_with(json=["a", "b"]))

    def test_lists_of_values_are_measured_each(self):
        self.write("config.json", results_with(threads=[1, 2]))
        text = self.accept("run", "--nodes", "3", "--duration", "100us", "--warmup", "20us", "--config", "config.json")
        self.assertRegex(text, r"(?m)^over +threads 1,2$")

    def test_whose_files_have_no_digests(self):
        own = "/p/own.xml"
        for config, said in (
            ({"files": [1]}, "is [1]; expected an object with a digest for each path"),
            ({"files": None}, "is null; expected an object with a digest for each path"),
            ({"files": {own: 5}}, "has 5 for /p/own.xml; expected a digest, 16 hexadecimal digits"),
            ({"files": {own: "12"}}, 'has "12" for /p/own.xml; expected a digest, 16 hexadecimal digits'),
        ):
            with self.subTest(said):
                self.refuse_config("--config config.json: config.files " + re.escape(said), results_with(**config))
                self.refuse("config.json: config.files " + re.escape(said), "compare", "config.json", "config.json")

    def test_of_points_that_failed_is_read(self):
        platforms = ",".join((self.write("there.xml", PLATFORM % '<link id="l" bandwidth="100Gbps" latency="1us"/>'), "missing.xml"))
        self.start("run", "--nodes", "2", "--replicas", "1", *SHORT[2:], "--platform", platforms, "--json", "some.json", code=1)
        self.accept("compare", "some.json", "some.json")

    def test_whose_files_are_not_told_is_read(self):
        self.write("config.json", results_with(coroutines=2, overrides={"run.max_transactions": "100"}))
        self.assertIn("3 nodes x 2 threads", self.accept("run", *SHORT, "--config", "config.json"))

    def test_that_holds_no_results(self):
        self.write("other.json", "{}")
        self.refuse("other.json: holds no results: member 'schema' is missing", "compare", "other.json", "other.json")
        self.write("other.json", json.dumps({**RESULTS, "config": 1, "results": 2}))
        self.refuse("other.json: holds no results: ", "compare", "other.json", "other.json")


class Loops(StartingTest):
    """Profiles that begin again at once keep a simulation at one instant for ever."""

    def test_are_refused_by_the_profile_s_name(self):
        self.write("inline.xml", PLATFORM % ('<trace id="again">0.0 1\nLOOPAFTER 0\n</trace>' + CHANGING_LINK))
        self.write("rates.txt", "0.0 1e9\nLOOPAFTER 1\n")
        self.refuse("trace again has the line \"LOOPAFTER 0\", so that it begins again after 0s", *BENCH, "--platform", "inline.xml")
        self.write("beside.xml", PLATFORM % CHANGING_LINK)
        for line, end in (("LOOPAFTER 0", ", so"), ("PERIODICITY 0", ", so"), ("LOOPAFTER 1e-300", ", so"), ("LOOPAFTER -1", ";"),
                          ("LOOPAFTER nan", ";"), ("LOOPAFTER", ";")):
            with self.subTest(line):
                self.write("rates.txt", "0.0 1e9\n%s\n" % line)
                self.refuse("profile rates.txt has the line \"%s\"%s" % (line, end), *BENCH, "--platform", "beside.xml")

    def test_files_that_are_pipes_are_refused(self):
        os.mkfifo(self.path("rates.txt"))
        self.write("beside.xml", PLATFORM % CHANGING_LINK)
        self.refuse("profile rates.txt: is a pipe", *BENCH, "--platform", "beside.xml")


if __name__ == "__main__":
    unittest.main()
