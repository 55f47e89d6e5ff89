#!/usr/bin/env python3
"""`faults.*`: nodes that die in a run, and clusters that begin again with what they had saved."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))

# Three compute servers, two memory servers, and one that keeps the vector of commits.
CLUSTER = ("--verify --seed 3 --nodes 6 --replicas 1 --threads 2 --coroutines 4 --chaos --warmup 0s --duration 1ms --system nam "
           "--workload smallbank").split()
SETTINGS = ["workload.accounts_per_worker=30", "nam.journals=2", "nam.stable_snapshots=true", "nam.checkpoint_interval=100us",
            "rdma.rc_retries=2"]
# NICs give servers up soon; but not before others have found out who is dead.
IMPATIENT = ["rdma.rc_timeout_exponent=6"]
HEARTBEATS = ["nam.heartbeat=10us", "nam.suspect_after=2ms", "rdma.rc_timeout_exponent=10"]


def start(*arguments):
    """The exit code, both outputs, and what is left of temporary files."""
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, TMPDIR=directory)
        done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              env=environment)
        return done.returncode, done.stdout, done.stderr, glob.glob(directory + "/*")


def run(*settings):
    sets = [argument for setting in (*SETTINGS, *settings) for argument in ("--set", setting)]
    return start("run", *CLUSTER, *sets)


def dies(which, node, point, count):
    return ["faults.%s_node=%d" % (which, node), "faults.%s_at=%s" % (which, point), "faults.%s_count=%d" % (which, count)]


class FaultsTest(unittest.TestCase):
    def expect_restored(self, *settings):
        code, text, error, left = run("faults.restore=true", *settings)
        self.assertEqual(code, 0, text + error)
        self.assertRegex(text, r"(?m)^verification +passed: \d+ committed, ")
        self.assertNotRegex(text, "ha(s|ve) died", "the cluster that began again has all its nodes")
        self.assertEqual(left, [], "nothing that was saved stays")
        return re.search(r"(?m)^trace digest +(\w+)$", text).group(1)

    def test_a_cluster_begins_again_after_a_memory_server_died(self):
        death = IMPATIENT + dies("kill", 3, "nam: checkpoint written", 3)
        self.assertEqual(self.expect_restored(*death), self.expect_restored(*death), "the same seed gives the same two runs")

    def test_a_cluster_begins_again_where_it_ended(self):
        self.expect_restored()

    def test_a_cluster_begins_again_after_both_kinds_of_servers_died(self):
        self.expect_restored(*HEARTBEATS, *dies("kill", 1, "nam: all locks held", 1), *dies("second", 4, "nam: checkpoint written", 12))

    def test_two_nodes_die_in_one_run(self):
        code, text, error, _ = run(*HEARTBEATS, *dies("kill", 0, "nam: journal written", 5), *dies("second", 1, "nam: all locks held", 9))
        self.assertEqual(code, 0, text + error)
        self.assertRegex(text, r"(?m)^verification +passed: .*nodes 0, 1 have died")

    def test_two_nodes_die_though_calls_to_the_dead_fill_all_slots(self):
        """The last compute server has to tell a dead one, which has its heartbeats to answer, and finds it dead all the same."""
        settings = [
            *dies("kill", 0, "nam: commit published", 1), *dies("second", 2, "nam: journal is being written", 1), "nam.journals=2",
            "nam.background_snapshots=true", "nam.heartbeat=50us", "rdma.rpc_ack_delay=5us",
            "rdma.rpc_max_timeout=1ms", "rdma.rpc_retries=30", "rdma.rpc_timeout=20us", "workload.update_percent=5"]
        shape = "--nodes 6 --threads 2 --coroutines 4 --duration 5ms --seed 2 --system nam --workload stress --verify"
        code, text, error, _ = start("run", *shape.split(), "--chaos", "--prism", "software",
                                     *[part for one in settings for part in ("--set", one)])
        self.assertEqual(code, 0, text + error)
        self.assertRegex(text, r"(?m)^verification +passed: .*nodes 0, 2 have died")

    def test_a_death_that_does_not_come_is_told(self):
        for which in ("kill", "second"):
            deaths = dies("kill", 0, "nam: journal written", 5 if which == "second" else 1000000)
            deaths += dies("second", 1, "nam: journal written", 1000000) if which == "second" else []
            code, _, error, _ = run(*HEARTBEATS, *deaths)
            self.assertEqual(code, 5, error)
            self.assertIn("faults.%s_at nam: journal written: node" % which, error)
            self.assertIn("did not reach this point 1000000 times, so it did not die", error)

    def test_once_is_not_told_as_one_times(self):
        code, _, error, _ = run(*HEARTBEATS, *dies("kill", 3, "nam: about to lock", 1))
        self.assertEqual(code, 5, error)
        self.assertIn("node 3 did not reach this point, so it did not die", error)

    def run_with_clients_killed(self, *counts):
        """A small run of PRISM-TX with a server and two clients, which are killed when they have prepared so many attempts."""
        keys = zip(("kill", "second"), (1, 2), counts)
        deaths = [one for which, node, count in keys for one in dies(which, node, "prism_tx: attempt prepared", count)]
        sets = ["--set", "prism.suspect_after=1ms"] + [part for one in deaths for part in ("--set", one)]
        return start("run", "--system", "prism-tx", "--workload", "ycsb", "--nodes", "3", "--threads", "2", "--duration", "3ms",
                     "--set", "workload.records=100", "--verify", *sets)

    def test_who_died_is_told_and_what_is_given_up_for_it(self):
        code, text, error, _ = self.run_with_clients_killed(20)
        self.assertEqual(code, 0, text + error)
        self.assertRegex(text, r"(?m)^died +node 1(; \d+ transactions? given up, which needed what was left, "
                               r"such as .*, prepared by .*, which is dead)?$")
        self.assertIn("node 1 has died, so totals are not compared", text)

    def test_throughput_per_node_is_of_those_that_computed_to_the_end(self):
        code, text, error, _ = self.run_with_clients_killed(20)
        self.assertEqual(code, 0, text + error)
        self.assertRegex(text, r"(?m)^throughput .*txn/s per node that computed to the end, as 1 of 2 did; ")

    def test_a_server_that_was_killed_is_named_by_what_ended_the_run(self):
        for system in ("pilaf", "prism-kv", "prism-tx"):
            code, text, error, _ = start("run", "--system", system, "--workload", "ycsb", "--nodes", "3", "--threads", "2", "--duration",
                                         "20ms", *[part for one in dies("kill", 0, "prism: sign of life heard", 1)
                                                   for part in ("--set", one)])
            self.assertEqual(code, 3, text + error)
            self.assertRegex(error, r"^verbena: node 0, a server, was killed at 'prism: sign of life heard' \(faults.kill_at\); "
                                    r"%s has no replica of what it held: .*\n$" % system)

    def test_where_all_clients_died_nobody_is_told_to_try_longer(self):
        code, _, error, _ = self.run_with_clients_killed(20, 20)
        self.assertEqual(code, 5, error)
        self.assertIn("nothing completed in the 3.00 ms that were measured; nodes 1, 2 have died", error)

    def test_an_order_that_the_dead_wrote_in_part_is_no_fault(self):
        """Two of its lines are prepared for ever."""
        cluster = ("--verify --seed 103544 --nodes 3 --replicas 1 --threads 3 --nics-per-node 1 --coroutines 1 --nic connectx-5 "
                   "--warmup 0s --duration 5ms --system prism-tx --workload tpcc-no --warehouses 2 --chaos").split()
        settings = [
            "fabric.chaos_interrupt_ns=100000", "fabric.chaos_jitter_ns=10000", "fabric.chaos_meet=0", "fabric.chaos_preempt=0.003",
            *dies("kill", 1, "prism_tx: slot claimed for an absent key", 29), "faults.kill_late=20us", "nic.qp_cache_entries=4",
            "prism.heartbeat=200us", "prism.servers=1", "prism.spares=1", "prism.suspect_after=10ms", "rdma.drain_timeout=2s",
            "rdma.poll_batch=1", "rdma.rpc_ack_delay=10us", "rdma.rpc_batch_replies=false", "rdma.rpc_first_number=65500",
            "rdma.rpc_max_timeout=10ms", "rdma.rpc_retries=30", "rdma.rpc_timeout=20us", "rdma.send_queue_depth=16",
            "rdma.signal_all=true", "rdma.signal_interval=1", "run.max_transactions=46", "run.patience=2s", "tx.merge_rmw=true",
            "workload.customers_per_district=30", "workload.items=200", "workload.new_orders_per_warehouse=5000"]
        code, text, error, _ = start("run", *cluster, *[part for one in settings for part in ("--set", one)])
        self.assertEqual(code, 0, error)
        self.assertIn("2 records are left prepared, and what holds between records is not checked there", text)

    def test_what_cannot_be_is_refused(self):
        for arguments, why in (
            (["faults.second_at=x"], "faults.second_at = x: needs faults.kill_at"),
            (["faults.second_count=2"], "faults.second_count = 2: needs faults.second_at"),
            (["faults.kill_at=x", "faults.second_at=y"], "faults.second_node = 0: has to differ from faults.kill_node"),
            (["faults.kill_at=nam: journal writen"], "the code has no such point; did you mean nam: journal written?"),
            (["faults.kill_at=nam: journal written", "faults.second_node=1", "faults.second_at=x"], "second_at = x: the code has no such"),
            (["faults.kill_at=nic: naks"], "faults.kill_at = 'nic: naks': is a NIC counter; nodes can only die at points of the code"),
            (["system=pilaf", "workload=ycsb", "faults.kill_at=kv: install sent"],
             "faults.kill_at = 'kv: install sent': system 'pilaf' never reaches this point; its nearest points are kv: put sent, "),
            (["faults.kill_at=nam: all locks held"], "system 'drtmh' never reaches this point; its nearest points are occ: "),
            (["system=nam", "faults.kill_at=nam: all locks held", "rdma.drain_timeout=5ms"],
             "rdma.drain_timeout 5ms has to be longer than nam.suspect_after 10ms: otherwise finished nodes give up before dead ones"),
            (["faults.kill_at=nam: journal written", "faults.kill_late=20us"], "faults.kill_late = 20us: needs --chaos"),
            (["faults.restore=true"], "faults.restore = true: system 'drtmh' cannot save its state"),
        ):
            code, _, error, _ = start("run", *[part for one in arguments for part in ("--set", one)])
            self.assertEqual(code, 2, error)
            self.assertIn(why, error)
            self.assertEqual(len(error.splitlines()), 1)
        code, _, error, _ = run("faults.restore=true", "nam.restore=x")
        self.assertEqual(code, 2, error)
        self.assertIn("nam.restore = x: is set by faults.restore", error)

    def test_each_run_has_checkpoints_of_its_own(self):
        for several in (["--repeat", "2"], ["--set", "seed=1,2"]):
            sets = ["--set", "nam.journals=2", "--set", "nam.checkpoints=x"]
            code, _, error, _ = start("run", "--system", "nam", "--nodes", "6", *sets, *several)
            self.assertEqual(code, 2, error)
            self.assertEqual(error, "verbena: nam.checkpoints = %s: applies to a single run, not to a list\n" % os.path.abspath("x"))


if __name__ == "__main__":
    unittest.main()
