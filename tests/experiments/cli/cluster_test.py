#!/usr/bin/env python3
"""Processes of a cluster that were told different things, or that strangers connect to, with a device that IDLE_DEVICE stands in for."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))
SYSTEM_FILE = os.path.realpath(sys.argv.pop(1))
if "IDLE_DEVICE" in os.environ:
    os.environ["LD_PRELOAD"] = os.path.realpath(os.environ["IDLE_DEVICE"])

COMMON = "run --fabric verbs --nodes 3 --bring-up-timeout 20s".split()
USUAL = {"--threads": "1", "--duration": "1s"}


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Three processes, each with arguments of its own."""

    def __init__(self, own):
        self.ports = free_ports(3)
        self.peers = ",".join("127.0.0.1:%d" % port for port in self.ports)
        self.processes = [self.start(node, own.get(node, ())) for node in range(3)]

    def start(self, node, own):
        usual = [text for flag, value in USUAL.items() if flag not in own for text in (flag, value)]
        line = [PROGRAM, *COMMON, *usual, "--peers", self.peers, "--node", str(node), *own]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ended(self):
        """Exit codes and errors."""
        ended = [(process.communicate(timeout=60), process.returncode) for process in self.processes]
        return [(code, error) for (_, error), code in ended]


class Disagreements(unittest.TestCase):
    def expect_named(self, key, values, own):
        """All three name the key, with both values."""
        cluster = Cluster({1: own})
        for node, (code, error) in enumerate(cluster.ended()):
            self.assertEqual(code, 2, "node %d: %s" % (node, error))
            self.assertEqual(len(error.splitlines()), 1, error)
            self.assertTrue(error.startswith("verbena: %s: node " % key), error)
            self.assertIn("node 1 (127.0.0.1:%d) has %s" % (cluster.ports[1], values[1]), error)
            other = 0 if node != 2 else 2
            self.assertIn("node %d (127.0.0.1:%d) has %s" % (other, cluster.ports[other], values[0]), error)

    def test_of_flags(self):
        for key, own, values in (
            ("--system", ["--system", "farm"], ("drtmh", "farm")),
            ("--workload", ["--workload", "tatp"], ("smallbank", "tatp")),
            ("--seed", ["--seed", "7"], ("1", "7")),
            ("--duration", ["--duration", "2s"], ("1s", "2s")),
            ("--verify", ["--verify"], ("false", "true")),
            ("--threads", ["--threads", "2"], ("1", "2")),
            ("--replicas", ["--replicas", "2"], ("3", "2")),
            ("--coroutines", ["--coroutines", "3"], ("8", "3")),
        ):
            with self.subTest(key):
                self.expect_named(key, values, own)

    def test_of_settings(self):
        for key, value, usual in (("workload.accounts_per_worker", "77", r"\d+"), ("rdma.signal_interval", "3", r"\d+"),
                                  ("run.patience", "3s", "0s")):
            with self.subTest(key):
                cluster = Cluster({2: ["--set", "%s=%s" % (key, value)]})
                for code, error in cluster.ended():
                    self.assertEqual(code, 2, error)
                    self.assertRegex(error, r"^verbena: %s: node \d" % re.escape(key))
                    self.assertIn("node 2 (127.0.0.1:%d) has %s" % (cluster.ports[2], value), error)
                    self.assertRegex(error, "node [01] .* has " + usual)

    def test_of_files_is_in_what_they_hold(self):
        """Not in where they lie."""
        with open(SYSTEM_FILE, encoding="utf-8") as file:
            plan = file.read()
        with tempfile.TemporaryDirectory() as directory:
            files = []
            for node, name in enumerate(("one", "one", "other")):
                files.append(os.path.join(directory, "%d.toml" % node))
                with open(files[-1], "w", encoding="utf-8") as file:
                    file.write(plan.replace("one-sided throughout", name))
            cluster = Cluster({node: ["--system", files[node]] for node in range(3)})
            for code, error in cluster.ended():
                self.assertEqual(code, 2, error)
                self.assertRegex(error, "^verbena: --system: node \\d .* has a file with digest [0-9a-f]{16}, node \\d ")
                self.assertIn("node 2 ", error)

    def test_of_several_keys_are_all_named(self):
        cluster = Cluster({0: ["--seed", "9", "--threads", "2", "--set", "rdma.signal_interval=3"]})
        for _, error in cluster.ended():
            self.assertRegex(error, "^verbena: --seed: ")
            self.assertIn("; these differ, too: --threads, rdma.signal_interval", error)

    def test_what_is_each_processs_own_may_differ(self):
        own = {1: ["--json", "/dev/null", "--device", "idle0"], 2: ["--set", "faults.kill_at=", "--progress"]}
        for code, error in Cluster(own).ended():
            self.assertIn("device 'idle0': max_qp is 0", error, "it got as far as that")
            self.assertNotEqual(code, 0)


class Refused(unittest.TestCase):
    """A process that its own flags end before it meets the others, which hear of it at once and not after 20 s."""

    def expect_told(self, own, why, told=(0, 2)):
        cluster = Cluster({1: own})
        ends = cluster.ended()
        self.assertEqual(ends[1][0], 2, ends[1][1])
        self.assertRegex(ends[1][1], "^verbena: %s" % why)
        for node in told:
            code, error = ends[node]
            self.assertEqual(code, 3, error)
            self.assertRegex(error, r"^verbena: node 1 \(127\.0\.0\.1:%d\) has ended: %s" % (cluster.ports[1], why))
            self.assertEqual(len(error.splitlines()), 1, error)

    def test_by_a_value(self):
        self.expect_told(["--threads", "0"], "--threads 0: expected")

    def test_by_an_unknown_flag(self):
        self.expect_told(["--thread", "2"], "unknown flag --thread")

    def test_by_an_unknown_key(self):
        self.expect_told(["--set", "rdma.signals=3"], "--set: unknown key 'rdma.signals'")

    def test_by_values_that_do_not_go_together(self):
        self.expect_told(["--replicas", "4"], "--nodes 3 is fewer than --replicas 4")

    def test_by_a_file_that_is_not_there(self):
        self.expect_told(["--config", "/nowhere.toml"], "--config /nowhere.toml: ")

    def test_by_what_it_cannot_write(self):
        self.expect_told(["--json", "/nowhere/result.json"], "--json /nowhere/result.json: ")

    def test_by_its_device(self):
        self.expect_told(["--device", "none0"], "device 'none0': not there")

    def test_by_its_own_list_of_peers(self):
        """It cannot tell anybody."""
        for peer in " 127.0.0.1:7002", "http://127.0.0.1:7002", "[]:7002", "::1:7002":
            with self.subTest(peer):
                done = subprocess.run([PROGRAM, *COMMON, "--peers", "127.0.0.1:7001,%s,127.0.0.1:7003" % peer, "--node", "0"],
                                      stderr=subprocess.PIPE, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(": '%s' is not host:port with a port from 1 to 65535" % peer, done.stderr)

    def test_by_a_list(self):
        self.expect_told(["--seed", "1,2"], "--seed 1,2: a list needs")

    def test_knows_its_peers_from_a_file(self):
        ports = free_ports(2)
        peers = ",".join("127.0.0.1:%d" % port for port in ports)
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "cluster.toml")
            with open(file, "w", encoding="utf-8") as config:
                config.write('peers = "%s"\nfabric = "verbs"\nthreads = 1\nduration = "1s"\nreplicas = 2\n' % peers)
                config.write('bring-up-timeout = "20s"\n')
            line = [PROGRAM, "run", "--config", file]
            processes = [subprocess.Popen([*line, *own], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                         for own in (["--node", "0"], ["--set", "node=1", "--coroutines", "none"])]
            errors = [process.communicate(timeout=60)[1] for process in processes]
        self.assertIn("verbena: --coroutines none: ", errors[1])
        self.assertIn("verbena: node 1 (127.0.0.1:%d) has ended: --coroutines none: " % ports[1], errors[0])

    def test_is_heard_of_while_another_is_waited_for(self):
        """Node 1 never comes up."""
        ports = free_ports(3)
        peers = ",".join("127.0.0.1:%d" % port for port in ports)
        line = [PROGRAM, *COMMON, "--peers", peers, "--duration", "1s"]
        processes = [subprocess.Popen([*line, *own], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                     for own in (["--node", "0", "--threads", "1"], ["--node", "2", "--threads", "0"])]
        errors = [process.communicate(timeout=60)[1] for process in processes]
        self.assertIn("verbena: node 2 (127.0.0.1:%d) has ended: --threads 0: " % ports[2], errors[0])

    def test_says_nothing_in_place_of_one_that_runs(self):
        """It has the number of another by mistake."""
        ports = free_ports(3)
        peers = ",".join("127.0.0.1:%d" % port for port in ports)
        line = [PROGRAM, *COMMON[:-1], "4s", "--peers", peers, "--duration", "1s", "--threads"]
        running = [subprocess.Popen([*line, "1", "--node", node], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for node in ("0", "1")]
        for port in ports[:2]:
            await_listener(port)
        with subprocess.Popen([*line, "0", "--node", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as refused:
            self.assertIn("--threads 0", refused.communicate(timeout=60)[1])
        for process in running:
            self.assertIn("node 2 (127.0.0.1:%d) did not come up" % ports[2], process.communicate(timeout=60)[1])


def await_listener(port):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


class Waiting(unittest.TestCase):
    def test_for_peers_begins_with_a_device(self):
        peers = ",".join("127.0.0.1:%d" % port for port in free_ports(3))
        done = subprocess.run([PROGRAM, *COMMON, "--peers", peers, "--node", "0", "--duration", "1s", "--device", "none0"],
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("verbena: device 'none0': not there", done.stderr)

    def test_for_peers_ends_when_people_end_it(self):
        ports = free_ports(2)
        line = [PROGRAM, *"run --fabric verbs --nodes 2 --threads 1 --duration 1s --bring-up-timeout 300s --node 0".split(),
                "--peers", ",".join("127.0.0.1:%d" % port for port in ports)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            await_listener(ports[0])
            process.send_signal(signal.SIGINT)
            output, error = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130, error)
        self.assertIn("verbena: interrupted while it waited for node 1 (127.0.0.1:%d)\n" % ports[1], error)
        self.assertEqual(output, "")


class Strangers(unittest.TestCase):
    def test_do_not_delay_bring_up(self):
        ports = free_ports(3)
        peers = ",".join("127.0.0.1:%d" % port for port in ports)
        line = [PROGRAM, *COMMON, "--threads", "1", "--duration", "1s", "--peers", peers]
        first = subprocess.Popen([*line, "--node", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        sockets = []
        deadline = time.monotonic() + 20
        while not sockets and time.monotonic() < deadline:
            try:
                sockets.append(socket.create_connection(("127.0.0.1", ports[0])))
            except OSError:
                time.sleep(0.02)
        for kind in range(150):
            one = socket.create_connection(("127.0.0.1", ports[0]))
            if kind % 3 == 1:
                one.sendall(b"vdp2")  # half of a question
            elif kind % 3 == 2:
                one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(range(256)))
            sockets.append(one)
        others = [subprocess.Popen([*line, "--node", str(node), "--seed", "5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                  for node in (1, 2)]
        errors = [process.communicate(timeout=60)[1] for process in (first, *others)]
        for error in errors:
            self.assertIn("verbena: --seed: node ", error)
        told = re.search(r"verbena: (\d+) connections to the address of this node were no peer's, and closed", errors[0])
        self.assertTrue(told, errors[0])
        self.assertGreaterEqual(int(told.group(1)), 50)
        for one in sockets:
            one.close()


if __name__ == "__main__":
    unittest.main()
