#!/usr/bin/env python3
"""What a run tells of its course: how precise its means are, whether it was steady, and what it left undone."""

import json
import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
SMALL = ["run", "--nodes", "4", "--threads", "4"]

PLATFORM = """<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">%s</zone></platform>"""


def platform_with_outage(begin_s, end_s):
    """A file: four hosts with a link each way, of which one is down for a while."""
    folder = os.environ["TEST_TMPDIR"]
    state = os.path.join(folder, "state-%g.txt" % end_s)
    with open(state, "w", encoding="utf-8") as file:
        file.write("%.9f 0\n%.9f 1\n" % (begin_s, end_s))
    nodes = range(4)
    parts = ['<host id="h%d" speed="1Gf"/>' % i for i in nodes]
    for i in nodes:
        failing = ' state_file="%s"' % os.path.basename(state) if i == 1 else ""
        parts.append('<link id="up%d" bandwidth="100Gbps" latency="70ns"%s/>' % (i, failing))
        parts.append('<link id="down%d" bandwidth="100Gbps" latency="70ns"/>' % i)
    for i in nodes:
        for k in nodes:
            if i != k:
                links = '<link_ctn id="up%d"/><link_ctn id="down%d"/>' % (i, k)
                parts.append('<route src="h%d" dst="h%d" symmetrical="NO">%s</route>' % (i, k, links))
    path = os.path.join(folder, "outage-%g.xml" % end_s)
    with open(path, "w", encoding="utf-8") as file:
        file.write(PLATFORM % "".join(parts))
    return path


def measured(*arguments):
    """The text that the program prints, and the first of its results."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    command = [PROGRAM, *arguments, "--json", path]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout
    with open(path, encoding="utf-8") as file:
        return text, json.load(file)["results"][0]


class OverTimeTest(unittest.TestCase):
    def test_what_happened_over_time_adds_up(self):
        text, result = measured(*SMALL, "--warmup", "500us", "--duration", "1200us")
        series = result["series"]
        self.assertEqual(series["interval_us"], 20)
        self.assertEqual(len(series["committed"]), 60)
        self.assertEqual(sum(series["committed"]), result["committed"])
        self.assertEqual(sum(series["aborted"]), sum(result["aborted"].values()))
        latency = sum(n * mean for n, mean in zip(series["committed"], series["mean_latency_us"]) if n)
        self.assertAlmostEqual(latency / result["committed"], result["latency_us"]["mean"], delta=0.01)
        throughput = result["precision"]["throughput_per_s"]
        self.assertAlmostEqual(throughput["mean"], result["throughput_per_s"], delta=1)
        self.assertGreater(throughput["half_width_95"], 0)
        self.assertRegex(text, r"(?m)^precision +throughput \+-[\d.]+ %, mean latency \+-[\d.]+ %.* \(95 %\)$")
        self.assertRegex(text, r"(?m)^over time +[▁-█]{60}  20.0 us each, up to ")
        _, result = measured(*SMALL, "--warmup", "500us", "--duration", "1ms", "--workload", "tatp")
        self.assertEqual(sum(result["series"]["committed"]), result["committed"])
        self.assertEqual(sum(result["series"]["aborted"]), sum(result["aborted"].values()))

    def test_a_longer_run_is_more_precise(self):
        widths = []
        for duration in ("480us", "4800us"):
            _, result = measured(*SMALL, "--warmup", "1ms", "--duration", duration)
            throughput = result["precision"]["throughput_per_s"]
            widths.append(throughput["half_width_95"] / throughput["mean"])
        self.assertLess(widths[1], widths[0])

    def test_every_coroutine_is_counted_that_has_begun_and_not_ended(self):
        _, result = measured(*SMALL, "--duration", "1ms")
        # Only those of the 4 x 4 x 8 coroutines have none that are between two transactions, or behind one of the worker's turns.
        self.assertGreater(result["in_flight_us"]["count"], 110)
        self.assertLessEqual(result["in_flight_us"]["count"], 128)
        self.assertLess(result["in_flight_us"]["max"], result["latency_us"]["max"])

    def test_an_outage_is_seen_while_it_lasts(self):
        # The NICs ask again after 67 ms, and each time later.
        for outage_ms, least_ms, most_ms in ((0.1, 60, 70), (300, 298, 500)):
            with self.subTest(outage_ms=outage_ms):
                platform = platform_with_outage(0.001, 0.001 + outage_ms / 1000)
                text, result = measured(*SMALL, "--warmup", "500us", "--duration", "3ms", "--platform", platform)
                committed = result["series"]["committed"]
                self.assertGreater(min(committed[:9]), 0)
                self.assertEqual(sum(committed[20:]), 0, "all wait for the one node")
                in_flight = result["in_flight_us"]
                self.assertEqual(in_flight["count"], 128)
                self.assertGreater(in_flight["p50"], 2400)
                self.assertGreater(in_flight["max"], result["latency_us"]["max"])
                self.assertGreater(in_flight["until"], least_ms * 1000)
                self.assertLess(in_flight["until"], most_ms * 1000)
                self.assertFalse(result["precision"]["throughput_per_s"]["steady"])
                self.assertRegex(text, r"(?m)^precision +throughput unknown")
                self.assertRegex(text, r"(?m)^not steady +throughput does not come to rest")
                self.assertEqual(result["bound_by"]["resource"], "outage")
                self.assertEqual(result["bound_by"]["busiest"], "up1")
                self.assertRegex(text, r"(?m)^bound by +outage: link up1 (was down from|is down since) 1ms")
                self.assertEqual(result["utilization"]["links_down"][0]["from_us"], 1000)
                self.assertRegex(text, r"(?m)^in flight +128 at the end, for .* longer than any latency; the last ended ")

    def test_a_short_outage_is_told_by_its_length(self):
        platform = platform_with_outage(0.0100, 0.0101)
        text, result = measured(*SMALL, "--warmup", "500us", "--duration", "200ms", "--platform", platform)
        # Asked again after 67 ms: of 60 parts of 3.3 ms.
        self.assertGreater(result["precision"]["stalled_us"], 63000)
        self.assertLess(result["precision"]["stalled_us"], 70000)
        outage = "link up1 was down from 10ms until 10100us by the simulation's clock, for 100 us of the measured 200 ms"
        self.assertRegex(text, r"(?m)^bound by +outage: %s$" % outage)
        self.assertRegex(text, r"(?m)^not steady .*for 66.\d ms throughput was below half of the usual$")

    def test_a_run_without_warm_up_says_that_it_was_not_steady(self):
        text, result = measured(*SMALL, "--warmup", "0s", "--duration", "400us")
        throughput = result["precision"]["throughput_per_s"]
        self.assertFalse(throughput["steady"])
        remedy = re.search(r"(?m)^not steady .* of throughput differ: leave them out, --warmup (\d+)us", text)
        self.assertIsNotNone(remedy, text)
        self.assertGreaterEqual(int(remedy.group(1)), throughput["beginning_us"])
        self.assertLess(int(remedy.group(1)), throughput["beginning_us"] + 1)

    def test_what_is_said_of_the_warm_up_adds_to_what_there_was(self):
        text, result = measured(*SMALL, "--warmup", "3us", "--duration", "400us")
        remedy = re.search(r"(?m)^not steady .* of throughput differ: leave them out, --warmup (\d+)us", text)
        self.assertIsNotNone(remedy, text)
        self.assertGreaterEqual(int(remedy.group(1)), result["precision"]["throughput_per_s"]["beginning_us"] + 3)

    def test_of_few_commits_nothing_is_said(self):
        text, result = measured("run", "--nodes", "3", "--threads", "1", "--duration", "20us")
        self.assertIsNone(result["precision"]["throughput_per_s"])
        self.assertIn("too few of them", text)


if __name__ == "__main__":
    unittest.main()
