#!/usr/bin/env python3
"""Processes of a cluster that were told different things, or that strangers connect to: on a machine without any RDMA device."""

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
        own = {1: ["--json", "/dev/null", "--device", "mlx5_0"], 2: ["--set", "faults.kill_at=", "--progress"]}
        for code, error in Cluster(own).ended():
            self.assertIn("device", error, "it got as far as that")
            self.assertNotEqual(code, 0)


class Waiting(unittest.TestCase):
    def test_for_peers_ends_when_people_end_it(self):
        ports = free_ports(2)
        line = [PROGRAM, *"run --fabric verbs --nodes 2 --threads 1 --duration 1s --bring-up-timeout 300s --node 0".split(),
                "--peers", ",".join("127.0.0.1:%d" % port for port in ports)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:  # until it listens
                with socket.socket() as one:
                    if one.connect_ex(("127.0.0.1", ports[0])) == 0:
                        break
                time.sleep(0.05)
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
