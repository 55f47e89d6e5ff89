#!/usr/bin/env python3
"""explain accounts for all of a request's time, and timelines are what Perfetto reads."""

import functools
import json
import os
import re
import subprocess
import sys
import unittest
from decimal import Decimal

PROGRAM = sys.argv.pop(1)
CHAINS = {"indirect-read": (64, 512), "prism-write": (64, 512), "allocate": (64, 512), "prism-cas": (16,)}  # and their payloads
SMALL = ["--nodes", "4", "--threads", "2", "--duration", "30us", "--warmup", "5us"]


def run(*arguments):
    """The text that the program prints."""
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


@functools.cache
def explained(*arguments):
    """The text of `explain`, which is started once for all tests of the same arguments."""
    return run("explain", *arguments)


def rows_of(text):
    """The rows of the table of stations: (stage, station) to (latency, service, constants), in nanoseconds; then the total."""
    rows = {}
    total = None
    for line in text.splitlines():
        row = re.match(r"(post|request|execute|response|complete|poll|call|reply) +(\S.*?\S) {2,}([\d.]+)(?: +([\d.]+))? +[\d.]+%"
                       r"(?: +[\d.]+)? *(.*)", line)
        if row:
            stage, station, latency, service, constants = row.groups()
            rows[stage, station.strip()] = Decimal(latency), service and Decimal(service), constants.split()
        elif line.split()[:1] == ["total"]:
            total = Decimal(line.split()[1])
    return rows, total


def timeline(*arguments, name="trace.json"):
    """The document that --trace writes, with exact numbers."""
    path = os.path.join(os.environ["TEST_TMPDIR"], name)
    run(*arguments, "--trace", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


class ExplainTest(unittest.TestCase):
    def test_the_rows_sum_up_to_the_total(self):
        for operation in ("read", "write", "send", "cas", "faa"):
            for state in ("warm", "qp-miss", "cold"):
                for doorbell in ("each", "batched"):
                    with self.subTest(operation=operation, state=state, doorbell=doorbell):
                        rows, total = rows_of(explained(operation, "--state", state, "--doorbell", doorbell))
                        self.assertEqual(sum(latency for latency, _, _ in rows.values()), total)
                        self.assertEqual(("request", "queue pair state") in rows, state != "warm")
                        self.assertEqual(("execute", "translation") in rows, state == "cold" and operation != "send")
                        self.assertEqual(("request", "WQE fetch") in rows, doorbell == "batched")

    def test_the_rows_of_chains_by_nic_sum_up_to_the_total(self):
        for operation, payloads in CHAINS.items():
            for payload in payloads:
                for state in ("warm", "qp-miss", "cold"):
                    with self.subTest(operation=operation, payload=payload, state=state):
                        rows, total = rows_of(explained(operation, "--prism", "nic", "--payload", str(payload), "--state", state))
                        self.assertEqual(sum(latency for latency, _, _ in rows.values()), total)
                        self.assertEqual(("execute", "pointer fetch") in rows, operation in ("indirect-read", "prism-write"))

    def test_an_operation_by_nic_takes_what_rdma_does_and_a_round_trip_of_pcie_for_each_pointer(self):
        pcie = Decimal(547)
        for operation, like, payload, pointers in (("indirect-read", "read", 512, 1), ("prism-write", "write", 512, 1),
                                                   ("allocate", "write", 512, 0), ("prism-cas", "cas", 16, 0)):
            with self.subTest(operation=operation):
                # Writing its longer request to the NIC apart.
                total, plain = (sum(latency for (stage, _), (latency, _, _) in rows.items() if stage != "post") for rows, _ in (
                    rows_of(explained(operation, "--prism", "nic", "--payload", str(payload))),
                    rows_of(explained(like, "--payload", str(payload if like != "cas" else 8)))))
                self.assertAlmostEqual(float(total), float(plain + pointers * pcie), delta=0.02 * float(total))

    def test_calls_are_explained_to_the_end(self):
        for operation in ("rpc", "write-rpc", "indirect-read", "prism-write", "allocate"):
            totals = {}
            for more in ((), ("--inline",), ("--doorbell", "batched"), ("--state", "cold"), ("--payload", "1000")):
                with self.subTest(operation=operation, more=more):
                    rows, totals[more] = rows_of(explained(operation, *more))
                    self.assertEqual(sum(latency for latency, _, _ in rows.values()), totals[more])
                    self.assertGreater(rows["call", "other core: RPC"][0], 0)
                    self.assertGreater(rows["reply", "own core: RPC"][0], 0)
                    inline = "--inline" in more or operation == "indirect-read"
                    self.assertEqual(("call", "own NIC: payload fetch") in rows, not inline)
                    self.assertIn("cpu.dma_write_latency_ns", rows["reply", "own NIC: memory write"][2])
            self.assertLess(totals["--inline",], totals[()])
            self.assertGreater(totals["--state", "cold"], totals[()])
            self.assertGreater(totals["--payload", "1000"], totals[()])

    def test_calls_take_as_long_as_in_a_bench_that_makes_one_at_a_time(self):
        alone = ["--nodes", "2", "--nics-per-node", "1", "--payload", "64"]
        for operation in ("rpc", "write-rpc"):
            with self.subTest(operation=operation):
                _, total = rows_of(run("explain", operation, *alone))
                text = run("bench", operation, *alone, "--clients", "1", "--threads", "1", "--coroutines", "1", "--window", "1",
                           "--doorbell", "each", "--duration", "200us")
                mean = Decimal(re.search(r"(?m)^ +all +(?:[\d.-]+ +){4}([\d.]+)", text).group(1))
                self.assertAlmostEqual(mean, total / 1000, delta=Decimal("0.05"))

    def test_chains_take_as_long_as_in_a_bench_that_has_one_at_a_time(self):
        alone = ["--nodes", "2", "--nics-per-node", "1", "--nic", "connectx-5-40g", "--cpu", "gold-6138"]
        for operation, payload in ((name, size) for name, sizes in CHAINS.items() for size in sizes):
            for doorbell in ("each", "batched"):
                with self.subTest(operation=operation, payload=payload, doorbell=doorbell):
                    asked = [operation, *alone, "--payload", str(payload), "--doorbell", doorbell]
                    rows, total = rows_of(run("explain", *asked))
                    self.assertEqual(sum(latency for latency, _, _ in rows.values()), total)
                    path = os.path.join(os.environ["TEST_TMPDIR"], "chains.json")
                    run("bench", *asked, "--clients", "1", "--servers", "1", "--threads", "1", "--coroutines", "1",
                        "--window", "1", "--duration", "500us", "--json", path)
                    with open(path, encoding="utf-8") as file:
                        latency = json.load(file)["results"][0]["latency_us"]
                    # In the mean of ALLOCATE there are calls behind which buffers are given back.
                    measured = [latency["p50"]] + ([] if operation == "allocate" else [latency["mean"]])
                    for of_all in measured:
                        self.assertAlmostEqual(of_all, float(total) / 1000, delta=0.02 * of_all)

    def test_the_callee_pays_for_what_its_chain_does(self):
        for operation, prices in (("rpc", set()), ("indirect-read", {"prism_op"}), ("prism-write", {"prism_op"}),
                                  ("allocate", {"prism_op"}), ("prism-cas", {"prism_op", "local_atomic"})):
            with self.subTest(operation=operation):
                rows, _ = rows_of(explained(operation))
                known = {constant for (stage, station), row in rows.items() for constant in row[2]
                         if stage == "call" and station.startswith("other core: ")}
                self.assertEqual(known & {"cpu.prism_op_ns", "cpu.local_atomic_ns"}, {"cpu.%s_ns" % price for price in prices})

    def test_each_dependent_access_to_far_memory_is_paid_for(self):
        for operation, accesses in (("indirect-read", 2), ("prism-write", 2), ("allocate", 1), ("prism-cas", 2), ("rpc", 0)):
            with self.subTest(operation=operation):
                near, far = (rows_of(run("explain", operation, "--set", "cpu.host_access_ns=" + time))[0] for time in ("0", "3000"))
                of_handler = "call", "other core: transactions"
                paid = far.get(of_handler, [0])[0] - near.get(of_handler, [0])[0]
                self.assertEqual(paid, 3000 * accesses)

    def test_cores_do_what_the_path_says_and_little_more(self):
        for operation in ("rpc", "write-rpc", *CHAINS):
            for more in ((), ("--doorbell", "batched")):
                with self.subTest(operation=operation, more=more):
                    text = explained(operation, *more)
                    rows, _ = rows_of(text)
                    for core, place in (("requester", "own core"), ("receiver", "other core")):
                        worked = float(re.search(r"(?m)^%s +core +([\d.]+)" % core, text).group(1))
                        path = float(sum(row[0] for (_, station), row in rows.items()
                                         if station.startswith(place) and "until" not in station))
                        self.assertGreaterEqual(worked, path)
                        self.assertLess(worked, path + 100)

    def test_what_a_call_cannot_be(self):
        for arguments, reason in ((("rpc", "--nodes", "1"), "calls another node"),
                                  (("rpc", "--state", "qp-miss"), "has warm and cold"),
                                  (("rpc", "--payload", "5000"), "a message holds at most 2032 bytes"),
                                  (("rpc", "--payload", "1000", "--inline"), "nic.max_inline_bytes"),
                                  (("rpc", "--set", "fabric.ud_loss=0.5"), "lost or late"),
                                  (("allocate", "--set", "fabric.ud_loss=0.5"), "lost or late"),
                                  (("indirect-read", "--payload", "2032"), "a message holds at most 2032 bytes, with 40 of a chain"),
                                  (("allocate", "--payload", "900", "--inline"), "nic.max_inline_bytes")):
            with self.subTest(arguments=arguments):
                refused = subprocess.run([PROGRAM, "explain", *arguments], stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(refused.returncode, 2)
                self.assertIn(reason, refused.stderr)

    def test_every_nic_is_explained(self):
        names = re.search(r"^nics +(.*)$", run("list"), re.MULTILINE).group(1).split()
        self.assertIn("connectx-4", names)
        for name in names:
            for operation in ("write", "send"):
                with self.subTest(nic=name, operation=operation):
                    rows, total = rows_of(run("explain", operation, "--nic", name))
                    self.assertEqual(sum(latency for latency, _, _ in rows.values()), total)

    def test_the_total_is_the_latency_that_bench_measures(self):
        _, total = rows_of(run("explain", "read", "--set", "cpu.fiber_switch_ns=0"))
        path = os.path.join(os.environ["TEST_TMPDIR"], "bench.json")
        lone = ["--nodes", "2", "--threads", "1", "--coroutines", "1", "--window", "1", "--clients", "1", "--duration", "100us"]
        run("bench", "read", *lone, "--loop", "raw", "--json", path)
        with open(path, encoding="utf-8") as file:
            measured = json.load(file)["results"][0]["latency_us"]["p50"] * 1000
        # The loop's own turns take a little.
        self.assertAlmostEqual(float(total), measured, delta=0.03 * measured)

    def test_a_row_names_the_constants_that_change_it(self):
        rows, total = rows_of(run("explain", "write", "--payload", "1000"))
        self.assertIn("nic.responder_latency_ns", rows["execute", "processing unit"][2])
        self.assertIn("cpu.dma_read_latency_ns", rows["request", "payload fetch"][2])
        self.assertEqual(rows["request", "cables and switches"][2], ["fabric.link_latency_ns", "fabric.switch_latency_ns"])
        inline, inline_total = rows_of(run("explain", "write", "--payload", "100", "--inline"))
        self.assertNotIn(("request", "payload fetch"), inline)
        self.assertIn("cpu.inline_copy_line_ns", inline["post", "work request"][2])
        self.assertLess(inline_total, total)

    def test_in_a_star_how_many_machines_there_are_changes_the_route_alone(self):
        few, many = (run("explain", "write", "--seed", "1", *more) for more in ([], ["--nodes", "1000", "--nics-per-node", "16"]))
        self.assertEqual(rows_of(few), rows_of(many))
        self.assertIn("cable-node-999_DOWN", many)

    def test_the_document_says_what_the_table_says(self):
        path = os.path.join(os.environ["TEST_TMPDIR"], "explained.json")
        for operation in ("write", "send"):
            with self.subTest(operation=operation):
                text = run("explain", operation, "--seed", "7", "--set", "nic.atomic_slots=64", "--json", path)
                rows, total = rows_of(text)
                with open(path, encoding="utf-8") as file:
                    document = json.load(file, parse_float=Decimal)
                self.assertEqual(document["schema"], {"name": "verbena.explanation", "version": 1})
                self.assertEqual(document["config"]["seed"], 7)
                self.assertEqual(document["config"]["overrides"], {"nic.atomic_slots": "64"})
                self.assertIn("\nagain           %s\n" % document["config"]["command_line"], text)
                self.assertEqual(document["total_ns"], total)
                for row in document["rows"]:
                    service = rows[row["stage"], row["station"]][1]
                    self.assertEqual((row["latency_ns"], row["constants"]), rows[row["stage"], row["station"]][::2])
                    self.assertEqual(row["service_ns"], service or 0)
                    self.assertEqual(row["limit_per_s"] is None, service is None)
                self.assertEqual(len(document["rows"]), len(rows))
                self.assertEqual(sum(row["latency_ns"] for row in document["rows"]), total)
                rates = [limit["limit_per_s"] for limit in document["limits"]]
                self.assertEqual(rates, sorted(rates))
                for limit in document["limits"]:
                    self.assertRegex(text, r"%s +%s +%.3f" % (limit["place"], limit["resource"], limit["busy_ns"]))
                for name, key in (("route", "request_route"), ("and back", "response_route")):
                    route = re.search(r"^%s +(.*)$" % name, text, re.MULTILINE)
                    self.assertEqual(document[key], route.group(1).split() if route else [])

    def test_the_route_is_that_of_the_topology(self):
        near = run("explain", "read", "--nodes", "2", "--topology", "torus:8")
        far = run("explain", "read", "--nodes", "5", "--topology", "torus:8")
        route = re.search(r"^route +(.*)$", far, re.MULTILINE).group(1).split()
        self.assertEqual(len(route), 6)
        hop = Decimal(2 * (25 + 90))
        self.assertEqual(rows_of(far)[1] - rows_of(near)[1], 3 * hop)


class TimelineTest(unittest.TestCase):
    def check(self, document):
        """Slices of one track nest or do not overlap. Returns them by track."""
        tracks = {}
        named = set()
        for event in document["traceEvents"]:
            track = event["pid"], event["tid"]
            if event["ph"] == "M":
                named.add(track)
                continue
            if event["ph"] in "stf":
                continue
            self.assertEqual(event["ph"], "X")
            self.assertGreater(event["dur"], 0)
            tracks.setdefault(track, []).append((event["ts"], event["ts"] + event["dur"], event))
        self.assertGreater(len(tracks), 0)
        self.assertLessEqual(set(tracks), named)
        for track, slices in tracks.items():
            around = []
            for begin, end, event in sorted(slices, key=lambda s: (s[0], -s[1])):
                while around and around[-1] <= begin:
                    around.pop()
                self.assertTrue(not around or end <= around[-1], "%s: %s" % (track, event))
                around.append(end)
        return tracks

    def test_explain(self):
        tracks = self.check(timeline("explain", "read"))
        names = [event["name"] for slices in tracks.values() for _, _, event in slices]
        for name in ("code", "READ BlueFlame write", "READ processing unit", "READ port", "READ link", "poll"):
            self.assertIn(name, names)

    def test_slices_of_chains_by_nic_name_their_operations(self):
        for operation, name in (("indirect-read", "PRISM READ"), ("prism-write", "PRISM WRITE"), ("allocate", "ALLOCATE"),
                                ("prism-cas", "PRISM CAS")):
            with self.subTest(operation=operation):
                payload = str(CHAINS[operation][0])
                names = {event["name"] for event in timeline("explain", operation, "--prism", "nic", "--payload", payload)["traceEvents"]}
                self.assertIn(name + " processing unit", names)

    def test_arrows_lead_along_the_way_of_a_request(self):
        events = timeline("explain", "read")["traceEvents"]
        slices = {}
        for event in events:
            if event["ph"] == "X" and "args" in event:
                slices.setdefault((event["pid"], event["tid"], event["ts"]), []).append(event)
        chains = {}
        for event in events:
            if event["ph"] in "stf":
                chains.setdefault(event["id"], []).append(event)
        for chain in chains.values():
            self.assertEqual("".join(event["ph"] for event in chain), "s" + "t" * (len(chain) - 2) + "f")
            times = [event["ts"] for event in chain]
            self.assertEqual(times, sorted(times))
            ways = [slices[event["pid"], event["tid"], event["ts"]] for event in chain]
            self.assertEqual((ways[0][0]["cat"], ways[-1][0]["name"]), ("post", "poll"))
            of_all = [{(one["args"]["qp"], one["args"]["index"]) for one in way} for way in ways]
            self.assertEqual(len(set.intersection(*of_all)), 1, "all are of one request")
        self.assertEqual(len(chains), 2, "that of the cold caches, and that which counts")

    def test_arrows_lead_from_transactions_to_their_requests(self):
        for system in ("drtmh", "fasst-occ"):
            with self.subTest(system=system):
                document = timeline("run", *SMALL, "--system", system)
                tracks = self.check(document)
                transactions = {track: slices for track, slices in tracks.items() if slices[0][2]["cat"] == "transaction"}
                self.assertEqual(len(transactions), 4 * 2 * 8)
                starts = [event for event in document["traceEvents"] if event["ph"] == "s"]
                from_transactions = [event for event in starts if (event["pid"], event["tid"]) in transactions]
                self.assertGreater(len(from_transactions), 0.3 * len(starts))  # replies are sent for nobody of that node
                for event in from_transactions:
                    slices = transactions[event["pid"], event["tid"]]
                    self.assertTrue(any(begin <= event["ts"] <= end for begin, end, _ in slices))

    def test_bench_and_run(self):
        benches = ("read", "rpc", "cas --chaos", "write --topology dragonfly")
        for command in [["bench", *line.split()] for line in benches] + [["run"]]:
            with self.subTest(command):
                document = timeline(*command, *SMALL)
                self.assertEqual(document["otherData"]["slices_left_out"], 0)
                requests = [slice[2]["args"] for slices in self.check(document).values() for slice in slices if "args" in slice[2]]
                self.assertGreater(len(requests), 100)
                self.assertEqual(set(requests[0]), {"node", "nic", "to_nic", "qp", "index", "wr_id", "bytes"})

    def test_equal_runs_give_equal_timelines_and_watching_changes_nothing(self):
        def digest(text):
            return re.search(r"^trace digest +(\w+)$", text, re.MULTILINE).group(1)

        first = timeline("bench", "write", *SMALL, name="first.json")
        again = timeline("bench", "write", *SMALL, name="again.json")
        self.assertEqual(first, again)
        unseen = digest(run("bench", "write", *SMALL))
        seen = digest(run("bench", "write", *SMALL, "--trace", os.path.join(os.environ["TEST_TMPDIR"], "seen.json")))
        self.assertEqual(unseen, seen)

    def test_it_is_bounded(self):
        whole = timeline("bench", "read", *SMALL)
        slices = sum(event["ph"] == "X" for event in whole["traceEvents"])
        limited = timeline("bench", "read", *SMALL, "--trace-limit", "100")
        self.assertEqual(sum(event["ph"] == "X" for event in limited["traceEvents"]), 100)
        self.assertEqual(limited["otherData"]["slices_left_out"], slices - 100)
        late = timeline("bench", "read", *SMALL, "--trace-from", "20us")
        times = [event["ts"] for event in late["traceEvents"] if event["ph"] == "X"]
        self.assertGreaterEqual(min(times), 20)
        self.assertLess(len(times), slices)


if __name__ == "__main__":
    unittest.main()
