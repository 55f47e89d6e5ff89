#!/usr/bin/env python3
"""What each operation and flag of bench does, as the counters of software and NICs tell."""

import csv
import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
SMALL = ["--nodes", "4", "--threads", "2", "--duration", "200us", "--warmup", "20us", "--seed", "3"]


def document(line, *more):
    """The document that `verbena bench LINE` on a small cluster writes with --json; what `more` says wins."""
    path = os.path.join(os.environ["TEST_TMPDIR"], "results.json")
    given = [word for word in (*line.split(), *more) if word.startswith("--")]
    small = [word for flag, value in zip(SMALL[::2], SMALL[1::2]) if flag not in given for word in (flag, value)]
    subprocess.run([PROGRAM, "bench", *line.split(), *more, *small, "--json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def bench(line):
    """Its only measurement."""
    return document(line)["results"][0]


def per_operation(measurement, counter):
    return measurement["counters"].get(counter, 0) / measurement["committed"]


class SeveralObjects(unittest.TestCase):
    def test_an_operation_is_as_many_requests_as_it_has_objects(self):
        # Long enough that operations at both ends count little: all have begun at once.
        read = bench("multi-read --objects 7 --duration 2ms")
        self.assertAlmostEqual(per_operation(read, "nic.verbs.read"), 7, delta=0.2)
        write = bench("multi-write --objects 7 --duration 2ms")
        self.assertAlmostEqual(per_operation(write, "nic.verbs.write"), 7, delta=0.2)
        for operation in "multi-read", "multi-write":
            call = bench(operation + " --objects 7 --duration 2ms --primitive two-sided")
            self.assertAlmostEqual(per_operation(call, "worker.calls"), 7, delta=0.5)

    def test_outstanding_requests_shorten_an_operation(self):
        for primitive in "one-sided", "two-sided":
            line = "multi-read --coroutines 1 --primitive " + primitive
            one_by_one, at_once = bench(line), bench(line + " --outstanding")
            self.assertLess(2 * at_once["latency_us"]["p50"], one_by_one["latency_us"]["p50"])

    def test_doorbell_batching_saves_posts(self):
        line = "multi-write --coroutines 1 --outstanding --doorbell "
        self.assertAlmostEqual(per_operation(bench(line + "each"), "worker.post_calls"), 10, delta=0.2)
        self.assertLess(per_operation(bench(line + "batched"), "worker.post_calls"), 3.2)
        line = "multi-write --coroutines 1 --outstanding --primitive two-sided --doorbell "
        each, batched = (per_operation(bench(line + how), "worker.datagram_post_calls") for how in ("each", "batched"))
        self.assertLess(2 * batched, each)

    def test_passive_one_sided_writes_signal_the_last_only(self):
        line = "multi-write --coroutines 2 --outstanding"
        self.assertAlmostEqual(per_operation(bench(line + " --passive"), "nic.verbs.write"), 10, delta=0.2)
        self.assertLess(per_operation(bench(line + " --passive"), "worker.signaled"), 1.6)

    def test_passive_two_sided_writes_save_the_replies(self):
        line = "multi-write --coroutines 2 --outstanding --doorbell batched --primitive two-sided"
        self.assertAlmostEqual(per_operation(bench(line), "worker.datagrams"), 20, delta=0.5)
        self.assertLess(per_operation(bench(line + " --passive"), "worker.datagrams"), 11)


class RawLoops(unittest.TestCase):
    def test_each_request_is_signaled_and_measured(self):
        for operation in "read", "write", "cas", "faa":
            measurement = bench(operation + " --loop raw --window 8")
            self.assertEqual(measurement["latency_us"]["count"], measurement["committed"])
            self.assertAlmostEqual(per_operation(measurement, "nic.cqes"), 1, delta=0.05)
            self.assertAlmostEqual(per_operation(measurement, "worker.post_calls"), 1, delta=0.05)

    def test_the_window_is_what_is_in_flight(self):
        for window in 1, 8:
            measurement = bench("read --loop raw --window %d" % window)
            in_flight = measurement["throughput_per_s"] * measurement["latency_us"]["mean"] / 1e6
            self.assertAlmostEqual(in_flight / (4 * 2 * window), 1, delta=0.1)

    def test_rounds_wait_for_their_whole_window(self):
        line = "read --loop raw --window 16"
        sliding, rounds = bench(line), bench(line + " --rounds")
        in_flight = rounds["throughput_per_s"] * rounds["latency_us"]["mean"] * 1e-6
        self.assertLess(in_flight, 0.9 * sliding["throughput_per_s"] * sliding["latency_us"]["mean"] * 1e-6)

    def test_chains_share_a_doorbell(self):
        measurement = bench("write --loop raw --window 16 --doorbell batched")
        self.assertLess(per_operation(measurement, "worker.post_calls"), 0.9)

    def test_unreliable_connections_carry_writes(self):
        measurement = bench("write --loop raw --transport uc")
        self.assertAlmostEqual(per_operation(measurement, "nic.verbs.write"), 1, delta=0.05)

    def test_threads_may_share_queue_pairs(self):
        line = "read --loop raw --threads 8 --nics-per-node 1 --nodes 2 --clients 1 --threads-per-queue-pair "
        own, shared, odd = (bench(line + how) for how in ("1", "8", "3"))
        for measurement in own, shared, odd:
            self.assertEqual(measurement["latency_us"]["count"], measurement["committed"])
        self.assertLess(shared["throughput_per_s"], own["throughput_per_s"])


class Connections(unittest.TestCase):
    def test_more_queue_pairs_than_a_nic_holds_are_fetched_again(self):
        line = "read --set nic.qp_cache_entries=16 --connections "
        self.assertLess(per_operation(bench(line + "1"), "nic.qp_cache_misses"), 0.05)
        self.assertGreater(per_operation(bench(line + "16"), "nic.qp_cache_misses"), 0.2)
        raw = bench("read --loop raw --set nic.qp_cache_entries=16 --connections 16")
        self.assertGreater(per_operation(raw, "nic.qp_cache_misses"), 0.2)

    def test_a_shared_context_is_slower(self):
        line = "write --nodes 2 --threads 24 --context "
        self.assertLess(2 * bench(line + "shared")["throughput_per_s"], bench(line + "dedicated")["throughput_per_s"])


class Calls(unittest.TestCase):
    def test_by_writes_take_two_of_them(self):
        measurement = bench("write-rpc")
        self.assertAlmostEqual(per_operation(measurement, "nic.verbs.write"), 2, delta=0.05)
        self.assertAlmostEqual(per_operation(measurement, "nic.verbs.send"), 0, delta=0.01)
        self.assertEqual(measurement["latency_us"]["count"], measurement["committed"])

    def test_by_writes_survive_torn_writes_and_disorder(self):
        measurement = bench("write-rpc --chaos --connections 3 --payload 200 --request-payload 300")
        self.assertGreater(measurement["committed"], 100)

    def test_by_writes_reach_servers_that_call_nobody(self):
        measurement = bench("write-rpc --clients 1 --servers 2")
        self.assertGreater(measurement["committed"], 100)

    def test_request_and_reply_have_sizes_of_their_own(self):
        for operation in "rpc", "write-rpc":
            read, write, neither = (
                bench("%s --payload %d --request-payload %d" % (operation, reply, request))["counters"]["nic.pcie_bytes"]
                for reply, request in ((1000, 16), (16, 1000), (16, 16))
            )
            self.assertGreater(read, neither)
            self.assertGreater(write, neither)


class Roles(unittest.TestCase):
    def test_one_server_is_reached_by_all_clients(self):
        for loop in "fibers", "raw":
            inbound = bench("read --servers 1 --loop " + loop)
            self.assertAlmostEqual(inbound["throughput_per_server_per_s"], inbound["throughput_per_s"])
            self.assertAlmostEqual(3 * inbound["throughput_per_client_per_s"], inbound["throughput_per_s"], delta=1)

    def test_one_client_reaches_all_servers(self):
        outbound = bench("read --clients 1")
        self.assertAlmostEqual(outbound["throughput_per_client_per_s"], outbound["throughput_per_s"])
        self.assertAlmostEqual(3 * outbound["throughput_per_server_per_s"], outbound["throughput_per_s"], delta=1)


class OtherMachines(unittest.TestCase):
    # All requests go from node 0 to node 2, and are large enough for the slower port of an old NIC to show.
    LINE = "read --nodes 3 --clients 1 --servers 1 --coroutines 1 --window 1 --payload 16384"

    def latency(self, more=""):
        return bench(self.LINE + more)["latency_us"]["mean"]

    def test_an_old_nic_slows_those_who_use_it(self):
        self.assertGreater(self.latency(" --other-nodes 2 --other-nic connectx-3"), 1.3 * self.latency())
        self.assertEqual(self.latency(" --other-nodes 1 --other-nic connectx-3"), self.latency())

    def test_no_nic_receives_more_than_its_port_whatever_its_cable_carries(self):
        # The switch of ConnectX-3's profile has two cables for each NIC.
        line = "write --nodes 5 --clients 4 --servers 1 --threads 8 --coroutines 8 --payload 4096 --nic connectx-3 --nics-per-node 1"
        inbound = bench(line + " --set nic.pcie_lanes=16 --set cpu.pcie_lanes=16")
        self.assertLess(inbound["payload_gbps"], 54.5)
        self.assertGreater(inbound["payload_gbps"], 0.8 * 54.5)

    def test_another_cpu_is_that_of_its_nodes_only(self):
        other = self.latency(" --cpu gold-6240r")
        self.assertNotEqual(other, self.latency())
        self.assertEqual(self.latency(" --other-nodes 0 --other-cpu gold-6240r"), other)
        self.assertEqual(self.latency(" --other-nodes 1-2 --other-cpu gold-6240r"), self.latency())

    def test_machines_that_are_all_other_are_alike(self):
        alike = document(self.LINE + " --nic connectx-5 --cpu gold-6240r")
        other = document(self.LINE + " --other-nodes 0-2 --other-nic connectx-5 --other-cpu gold-6240r")
        self.assertEqual(other["trace_digest"], alike["trace_digest"])
        self.assertEqual(other["config"]["other-nodes"], "0-2")

    def test_transactions_wait_for_old_nics(self):
        path = os.path.join(os.environ["TEST_TMPDIR"], "run.json")
        busy = ["--nodes", "4", "--threads", "12", "--nics-per-node", "1", "--duration", "200us", "--system", "one-sided"]
        committed = []
        for more in [], ["--other-nodes", "2-3", "--other-nic", "connectx-3"]:
            subprocess.run([PROGRAM, "run", *busy, *more, "--verify", "--json", path], check=True, stdout=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as file:
                committed.append(json.load(file)["results"][0]["committed"])
        self.assertGreater(committed[0], 1.05 * committed[1])


class Names(unittest.TestCase):
    def test_what_list_shows_is_taken(self):
        listed = subprocess.run([PROGRAM, "list"], check=True, stdout=subprocess.PIPE, text=True).stdout
        names = {line.split()[0]: line.split()[1:] for line in listed.splitlines() if line.strip()}
        for title, line in (("topologies", "read --topology"), ("contexts", "read --context"), ("loops", "read --loop"),
                            ("transports", "write --loop raw --transport")):
            self.assertGreater(len(names[title]), 1)
            for name in names[title]:
                with self.subTest(title, name=name):
                    self.assertGreater(bench("%s %s" % (line, name))["committed"], 0)


class Precision(unittest.TestCase):
    """The rules of run: what was in flight, intervals, and what has not come to rest."""

    CLUSTER = "--nodes 3 --threads 2 --window 2 --duration 400us"
    FIBERS = "read --loop fibers --coroutines 4 " + CLUSTER
    RAW = "read --loop raw " + CLUSTER

    def test_what_is_in_flight_at_the_end_is_the_closed_loops(self):
        for line, each in (self.FIBERS, 4 * 2), (self.RAW, 2):
            ages = bench(line)["in_flight_us"]
            self.assertEqual(ages["count"], 3 * 2 * each, line)
            self.assertEqual(ages["not_begun"], 0)
            self.assertLess(ages["max"], 20)
            self.assertGreater(ages["until"], 0)

    def test_percentiles_have_intervals_of_batches(self):
        for line in self.FIBERS, self.RAW:
            latency = bench(line)["latency_us"]
            for name in "p50", "p90":
                low, high = latency["intervals_95"][name]
                self.assertLessEqual(low, latency[name])
                self.assertGreaterEqual(high, latency[name])

    def test_series_show_the_intervals_of_each_measurement(self):
        out = os.path.join(os.environ["TEST_TMPDIR"], "series")
        command = [PROGRAM, "bench", *self.FIBERS.split(), "--warmup", "20us", "--payload", "8,64,1024"]
        command += ["--out", out]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        lines = table.splitlines()
        head = next(line for line in lines if line.startswith("payload "))
        self.assertIn("in flight", head)
        rows = lines[lines.index(head) + 1:][:3]
        with open(os.path.join(out, "points.csv"), encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        with open(os.path.join(out, "results.json"), encoding="utf-8") as file:
            results = json.load(file)["results"]
        for row, point, result in zip(rows, points, results):
            self.assertRegex(row, r"\+-[0-9.e-]+ %")
            own = result["precision"]["throughput_per_s"]
            self.assertAlmostEqual(float(point["throughput_half_width_95"]) / own["half_width_95"], 1, places=6)
            self.assertEqual(float(point["in_flight"]), result["in_flight_us"]["count"])
            self.assertIn(" %d " % result["in_flight_us"]["count"], row)

    def test_a_series_withholds_percentiles_that_a_single_measurement_does(self):
        # Some four hundred operations would bound p99.
        few = "bench read --nodes 2 --threads 1 --coroutines 1 --window 1 --warmup 5us --duration 100us".split()
        out = os.path.join(os.environ["TEST_TMPDIR"], "withheld")
        table = subprocess.run([PROGRAM, *few, "--payload", "8,64", "--out", out], check=True, stdout=subprocess.PIPE,
                               text=True).stdout
        alone = subprocess.run([PROGRAM, *few, "--payload", "8"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertRegex(alone, r"(?m)^  all +[0-9.]+ +[0-9.]+ +- +- ")
        self.assertRegex(table, r"(?m)^8 .* - +- ")
        with open(os.path.join(out, "points.csv"), encoding="utf-8") as file:
            for point in csv.DictReader(file):
                self.assertTrue(point["p90_us"])
                self.assertEqual((point["p99_us"], point["p999_us"]), ("", ""))
        with open(os.path.join(out, "results.json"), encoding="utf-8") as file:
            for result in json.load(file)["results"]:
                self.assertIsNone(result["latency_us"]["p99"])
                self.assertIsNone(result["latency_us"]["intervals_95"]["p99"])

    def test_what_has_not_come_to_rest_is_marked(self):
        # Queue pairs are fetched for the first time in the first microseconds.
        command = [PROGRAM, "bench", "read", "--nodes", "8", "--threads", "4", "--connections", "8", "--warmup", "0us",
                   "--duration", "60us", "--payload", "8,16"]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertRegex(table, r"(?m)^8 .* or more ")
        self.assertRegex(table, r"(?m)^not steady  +2 of 2 points")
        alone = subprocess.run([*command[:-1], "8"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertRegex(alone, r"(?m)^not steady ")


class Series(unittest.TestCase):
    def test_each_measurement_is_the_one_that_its_values_give_alone(self):
        series = document("read --payload 8,256 --nodes 2,3")
        self.assertEqual([result["values"] for result in series["results"]],
                         [{"nodes": nodes, "payload": payload} for nodes in (2, 3) for payload in (8, 256)])
        self.assertEqual(series["config"]["payload"], "8,256")
        alone = bench("read --payload 256 --nodes 2")
        self.assertEqual({**alone, "values": series["results"][1]["values"]}, series["results"][1])
        self.assertEqual(alone["values"], {})

    def test_overrides_may_be_lists(self):
        series = document("read", "--set", "nic.qp_cache_entries=64,1024")
        self.assertEqual([result["values"] for result in series["results"]],
                         [{"nic.qp_cache_entries": 64}, {"nic.qp_cache_entries": 1024}])

    def test_the_document_repeats_the_series(self):
        first = document("rpc --payload 8,64 --nodes 2,3")
        path = os.path.join(os.environ["TEST_TMPDIR"], "first.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(first, file)
        subprocess.run([PROGRAM, "bench", "rpc", "--config", path, "--json", path + ".again"], check=True, stdout=subprocess.DEVNULL)
        with open(path + ".again", encoding="utf-8") as file:
            again = json.load(file)
        self.assertEqual(first["results"], again["results"])
        self.assertEqual(first["config"]["command_line"], again["config"]["command_line"])


if __name__ == "__main__":
    unittest.main()
