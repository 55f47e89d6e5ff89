#!/usr/bin/env python3
"""Platforms of the user's: profiles, kinds of links, and all that is not simulated, under explain, bench and run."""

import json
import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
HEAD = "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'><platform version='4.1'>"
HOSTS = "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
LINK = "<link id='l' bandwidth='10GBps' latency='1us'/>"
LONE = ["--nodes", "2", "--nics-per-node", "1"]
ONE_AT_A_TIME = ["--clients", "1", "--servers", "1", "--threads", "1", "--coroutines", "1", "--window", "1", "--loop", "raw"]
SMALL_RUN = ["run", "--nodes", "2", "--replicas", "1", "--threads", "2"]


def written(name, text):
    """The path of a file of this text. SimGrid looks for profiles beside the platform."""
    path = os.path.join(os.environ["TEST_TMPDIR"], name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def platform(link=LINK, hosts=HOSTS, before="", name="platform.xml"):
    """A platform of two hosts and a link between them."""
    return written(name, HEAD + before + "<zone id='z' routing='Full'>" + hosts + link +
                   "<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>")


def link_with(profile, values):
    """The link, with a profile of these lines."""
    return "<link id='l' bandwidth='10GBps' latency='1us' %s='%s'/>" % (profile, os.path.basename(written(profile + ".txt", values)))


def run(*arguments):
    """The text that the program prints."""
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def total_of(text):
    """The total of an explanation, in nanoseconds."""
    return float(re.search(r"(?m)^ +total +([\d.]+)", text).group(1))


def measured(*arguments):
    """The measurement of a bench."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "measured.json")
    run("bench", *arguments, "--json", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"][0]


class PlatformTest(unittest.TestCase):
    def refused(self, arguments, code=2):
        """The one line that refuses it."""
        end = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((end.returncode, end.stdout), (code, ""), end.stderr)
        self.assertEqual(end.stderr.count("\n"), 1, end.stderr)
        return end.stderr

    def refused_everywhere(self, path, *words):
        """Each command refuses the platform alike."""
        for command in (["explain", "read", *LONE], ["explain", "rpc", *LONE], ["bench", "read", *LONE, "--duration", "50us"],
                        [*SMALL_RUN, "--duration", "50us"]):
            with self.subTest(command=command, words=words):
                line = self.refused([*command, "--platform", path])
                for word in (os.path.basename(path), *words):
                    self.assertIn(word, line)


class ProfileTest(PlatformTest):
    def test_a_link_that_becomes_slower_counts_for_explain_bench_and_run(self):
        path = platform(link_with("bandwidth_file", "0.0015 1e8\n"))
        # 4 KiB, and what is around them, at 0.1 GB/s; what is explained is later than a millisecond.
        self.assertAlmostEqual(total_of(run("explain", "read", *LONE, "--payload", "4096", "--platform", path)), 46.6e3, delta=0.5e3)
        bench = ["read", *LONE, "--payload", "4096", *ONE_AT_A_TIME, "--platform", path]
        before = measured(*bench, "--warmup", "100us", "--duration", "1ms")["latency_us"]["p50"]
        after = measured(*bench, "--warmup", "2ms", "--duration", "4ms")["latency_us"]["p50"]
        self.assertLess(before, 6)
        self.assertAlmostEqual(after, 46.6, delta=1)
        fast, slow = (run(*SMALL_RUN, "--platform", file, "--warmup", "2ms", "--duration", "400us")
                      for file in (platform(name="fast.xml"), path))
        self.assertGreater(int(re.search(r"(\d+) committed", fast).group(1)), 1.5 * int(re.search(r"(\d+) committed", slow).group(1)))

    def test_a_latency_counts_from_when_its_profile_says(self):
        path = platform(link_with("latency_file", "0.0005 0.0001\n"))
        # There and back over one link of 100 us.
        self.assertAlmostEqual(total_of(run("explain", "read", *LONE, "--platform", path)), 201.5e3, delta=1e3)
        bench = ["read", *LONE, *ONE_AT_A_TIME, "--platform", path]
        before = measured(*bench, "--warmup", "100us", "--duration", "300us")["latency_us"]["p50"]
        after = measured(*bench, "--warmup", "1ms", "--duration", "20ms")["latency_us"]["p50"]
        self.assertAlmostEqual(before, 3.5, delta=0.5)
        self.assertAlmostEqual(after, 201.5, delta=1)

    def test_what_was_sent_is_not_overtaken_when_a_latency_falls(self):
        path = platform(link_with("latency_file", "0.0 0.0001\n0.0003 0.000001\n0.0006 0.0001\n0.0009 0.000001\n"))
        for operation in ("read", "write", "cas", "rpc"):
            with self.subTest(operation=operation):
                result = measured(operation, *LONE, "--platform", path, "--warmup", "10us", "--duration", "2ms")
                self.assertGreater(result["throughput_per_s"], 0)

    def test_profiles_that_go_round_end_no_program(self):
        path = platform(link_with("bandwidth_file", "0.0005 5e8\n0.001 1e9\nLOOPAFTER 0.001\n"))
        for operation in ("read", "write", "send", "rpc", "prism-write"):
            run("explain", operation, *LONE, "--platform", path)
        run("bench", "read", *LONE, "--platform", path, "--warmup", "10us", "--duration", "5ms")

    def test_constants_are_named_whatever_the_profile(self):
        plain = run("explain", "read", *LONE, "--platform", platform())
        late = run("explain", "read", *LONE, "--platform", platform(link_with("bandwidth_file", "5 1e9\n"), name="late.xml"))
        self.assertEqual(plain.replace("platform.xml", "late.xml"), late)
        self.assertIn("nic.responder_latency_ns", plain)

    def test_a_dead_link_is_named(self):
        path = platform(link_with("state_file", "0.0005 0\n"))
        for operation in ("read", "write", "cas", "send", "rpc"):
            with self.subTest(operation=operation):
                self.assertIn("link l is down since 500us", self.refused(["explain", operation, *LONE, "--platform", path], 3))
        self.assertIn("link l is down since 500us", self.refused(
            ["bench", "read", *LONE, *ONE_AT_A_TIME, "--platform", path, "--warmup", "10us", "--duration", "5ms"], 3))

    def test_a_profile_that_goes_beyond_what_is_simulated_is_named(self):
        for profile, values, word in (("bandwidth_file", "0.0005 10\n", "10 B/s"), ("bandwidth_file", "0.0005 0\n", "0 B/s"),
                                      ("latency_file", "0.0005 10\n", "10 s"), ("latency_file", "0.0005 1e10\n", "10000000000 s")):
            path = platform(link_with(profile, values))
            for command in (["explain", "read", *LONE], ["bench", "read", *LONE, "--warmup", "10us", "--duration", "1ms"]):
                with self.subTest(profile=profile, values=values, command=command):
                    line = self.refused([*command, "--platform", path])
                    self.assertIn("link l is " + word, line)
                    # The request comes to the link after a millisecond.
                    self.assertIn("at 500us" if command[0] == "bench" else "at 1", line)

    def test_hosts_are_always_on(self):
        host = "<host id='a' speed='1Gf'/><host id='b' speed='1Gf' %s='%s'/>"
        for key, values in (("state_file", "0 0\n"), ("state_file", "0.001 0\n"), ("speed_file", "0.001 0.5\n")):
            file = os.path.basename(written("host.txt", values))
            self.refused_everywhere(platform(hosts=host % (key, file)), "host b", file)
        # A host that no node stands on may have what it likes.
        other = HOSTS + "<host id='c' speed='1Gf' speed_file='%s'/>" % file
        run("explain", "read", *LONE, "--platform", platform(hosts=other))


class LinkTest(PlatformTest):
    def test_each_message_has_the_whole_rate_of_a_fat_pipe(self):
        fat, shared = (platform("<link id='l' bandwidth='100MBps' latency='1us' sharing_policy='%s'/>" % policy, name=policy + ".xml")
                       for policy in ("FATPIPE", "SHARED"))
        texts = [run("explain", "read", *LONE, "--payload", "4096", "--platform", path) for path in (fat, shared)]
        self.assertEqual(texts[0].replace("FATPIPE", "SHARED"), texts[1])
        self.assertAlmostEqual(total_of(texts[0]), 46.6e3, delta=0.5e3)
        bench = ["write", *LONE, "--payload", "4096", *ONE_AT_A_TIME[:-4], "--loop", "raw", "--warmup", "1ms", "--duration", "2ms"]
        one, many = ([measured(*bench, "--platform", path, *more)["throughput_per_s"] for path in (fat, shared)]
                     for more in (("--window", "1"), ("--window", "8")))
        self.assertAlmostEqual(one[0], one[1], delta=0.01 * one[0])
        self.assertAlmostEqual(many[0], 8 * one[0], delta=0.4 * one[0])
        self.assertLess(many[1], 1.2 * one[1])

    def test_fat_pipes_of_a_cluster_count(self):
        path = written("cluster.xml", HEAD + "<cluster id='c' prefix='n-' suffix='' radical='0-3' speed='1Gf' bw='100MBps' lat='1us' "
                       "sharing_policy='FATPIPE'/></platform>")
        bench = ["write", *LONE, "--payload", "4096", *ONE_AT_A_TIME[:-4], "--loop", "raw", "--warmup", "1ms", "--duration", "2ms"]
        one, many = (measured(*bench, "--platform", path, "--window", window)["throughput_per_s"] for window in "18")
        self.assertAlmostEqual(many, 8 * one, delta=0.4 * one)

    def test_columns_of_a_slow_link_stay_apart(self):
        slow = platform("<link id='l' bandwidth='10kBps' latency='10ms'/>")
        self.assertRegex(run("explain", "read", *LONE, "--platform", slow), r"\nresponse +link +\d+\.560 +11800000\.000 ")

    def test_a_fat_pipe_may_be_down(self):
        link = link_with("state_file", "0.0005 0\n").replace("/>", " sharing_policy='FATPIPE'/>")
        self.assertIn("link l is down since 500us", self.refused(["explain", "read", *LONE, "--platform", platform(link)], 3))

    def test_links_that_are_not_simulated(self):
        self.refused_everywhere(platform("<link id='l' bandwidth='999Bps' latency='1us'/>"), "link l", "999 B/s", "1000 B/s or more")
        wifi = "<zone id='w' routing='Wifi'><prop id='access_point' value='r'/><router id='r'/>" + HOSTS + \
               "<link id='air' sharing_policy='WIFI' bandwidth='54Mbps,36Mbps' latency='0ms'/></zone></platform>"
        self.refused_everywhere(written("wifi.xml", HEAD + wifi), "link air", "WIFI")


class SettingTest(PlatformTest):
    def test_no_file_is_written_over(self):
        kept = written("kept.txt", "of the user's\n")
        for key, value in (("tracing/filename", kept), ("tracing", "yes"), ("smpi/papi-events", "x"), ("debug/breakpoint", "1"),
                           ("no/such", "1"), ("tracing/vm", "yes")):
            setting = "<config id='General'><prop id='%s' value='%s'/></config>" % (key, value)
            self.refused_everywhere(platform(before=setting), "<config> sets " + key)
        for separator in (" ", ",", "&#10;"):
            value = "Full" + separator + separator.join(("tracing:yes", "tracing/platform:yes", "tracing/filename:" + kept))
            setting = "<config><prop id='network/optim' value='%s'/></config>" % value
            self.refused_everywhere(platform(before=setting), "<config> gives network/optim the value Full")
        with open(kept, encoding="utf-8") as file:
            self.assertEqual(file.read(), "of the user's\n")

    def test_settings_of_models_that_are_not_used_change_nothing(self):
        setting = "<config><prop id='network/latency-factor' value='10'/><prop id='network/TCP-gamma' value='4194304'/></config>"
        with_setting, without = (run("explain", "read", *LONE, "--platform", platform(before=before)) for before in (setting, ""))
        self.assertEqual(with_setting, without)
        self.refused_everywhere(platform(before=setting.replace("'10'", "'ten'")), "<config> gives network/latency-factor the value ten")


if __name__ == "__main__":
    unittest.main()
