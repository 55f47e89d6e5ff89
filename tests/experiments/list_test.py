#!/usr/bin/env python3
"""`verbena list` explains every key, every parameter of a workload, and every system."""

import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
COMMANDS = ["run", "bench", "explain", "reproduce", "doctor"]
NO_KEYS = {"help", "config", "set"}


def text_of(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def explained(text):
    """Names of keys with what is said of them."""
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.startswith("  ")]
    return {name.removeprefix("--"): sentence for name, sentence in lines}


def sentences(text):
    """The same, where a name may be there twice."""
    return {(name, sentence) for line in text.splitlines() for name, sentence in explained(line).items()}


def names(kind):
    return re.search(rf"^{kind} +(.*)$", text_of("list"), re.MULTILINE).group(1).split()


class ListTest(unittest.TestCase):
    def test_keys_are_explained_with_what_they_may_be(self):
        keys = explained(text_of("list", "keys"))
        for command in COMMANDS:
            flags = set(re.findall(r"^ +(?:-\w,)?--([a-z-]+)", text_of(command, "--help"), re.MULTILINE)) - NO_KEYS
            self.assertLessEqual(flags, keys.keys(), command)
        for key in ["nic.qp_cache_entries", "cpu.fiber_switch_ns", "fabric.ud_loss", "rdma.turn_time", "run.max_transactions"]:
            self.assertIn(key, keys)
        for key, sentence in keys.items():
            self.assertRegex(sentence, r"^\S+ .*\(.+\)( \[sim\]| \[verbs\])?$", key)

    def test_defaults_are_told_once(self):
        keys = explained(text_of("list", "keys"))
        self.assertRegex(keys["workload.settled"], r"\(true or false; otherwise true\)$")
        self.assertRegex(keys["device"], r"^RDMA device \(a text; otherwise the first active one\) \[verbs\]$")
        help_of_run = " ".join(text_of("run", "--help").split())
        self.assertIn("RDMA device (the first active one) [verbs]", help_of_run)

    def test_words_leave_the_keys_that_have_all_of_them(self):
        every = sentences(text_of("list", "keys"))
        for words in ["signal"], ["SIGNAL", "interval"], ["nam."], ["ring", "bytes"]:
            found = sentences(text_of("list", "keys", *words))
            self.assertGreater(len(found), 0, words)
            self.assertLess(len(found), len(every), words)
            told = {(key, sentence) for key, sentence in every if all(word.lower() in (key + " " + sentence).lower() for word in words)}
            self.assertLessEqual(found, told, words)
            named = {(key, sentence) for key, sentence in told if all(word.lower() in key for word in words)}
            self.assertLessEqual(named, found, words)
        self.assertIn("rdma.signal_interval", explained(text_of("list", "keys", "signaled", "queue")), "words of its explanation")

    def test_words_that_no_key_has_are_refused(self):
        for words, message in (
            (["intervall"], "'intervall' is in no key's name or explanation"),
            (["signal", "rdma.signal_intervall"],
             "'rdma.signal_intervall' is in no key's name or explanation; did you mean rdma.signal_interval?"),
            (["journal", "tpcc"], "no key's name or explanation has all of 'journal', 'tpcc'"),
        ):
            run = subprocess.run([PROGRAM, "list", "keys", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", f"verbena: list keys: {message}\n"), words)

    def test_without_a_topic_there_are_names_and_all_keys(self):
        self.assertEqual(explained(text_of("list")), explained(text_of("list", "keys")))

    def test_profiles_say_what_they_were_fitted_to_and_what_is_usual(self):
        for topic, key, usual in ("nics", "nic.", "connectx-4"), ("cpus", "cpu.", "e5-2650v4"), ("fabrics", "fabric.", "edr-switch"):
            text = text_of("list", topic)
            for name in names(topic):
                self.assertRegex(text, rf"(?m)^{name} +\S.+\n +\S.+", name)
            self.assertRegex(text, rf"(?m)^{usual} .*\n.*; the default$")
            self.assertEqual(text.count("; the default\n"), 1)
            own = {name: sentence for name, sentence in explained(text).items() if name.startswith(key)}
            every = {name: sentence for name, sentence in explained(text_of("list", "keys")).items() if name.startswith(key)}
            self.assertEqual(own, every)
            for name, sentence in own.items():
                self.assertRegex(sentence, rf"otherwise the profile's, [0-9.e+-]+ of {usual}\)", name)
        self.assertRegex(text_of("list", "nics"), r"(?m)^connectx-7 .* \[estimate\]$")
        self.assertNotRegex(text_of("list", "nics"), r"(?m)^connectx-4 .*estimate")

    def test_workloads_have_a_sentence_and_their_parameters(self):
        parts = re.split(r"^(\S+): ", text_of("list", "workloads"), flags=re.MULTILINE)[1:]
        workloads = dict(zip(parts[::2], parts[1::2]))
        self.assertEqual(list(workloads), names("workloads"))
        keys = explained(text_of("list", "keys"))
        listed = set()
        for name, text in workloads.items():
            self.assertGreater(len(text.splitlines()[0].split()), 3, name)
            listed |= sentences(text)
        self.assertIn("accounts_per_worker", workloads["smallbank"])
        self.assertNotIn("accounts_per_worker", workloads["tatp"])
        for name in ["tpcc", "tpcc-no"]:
            self.assertIn("--warehouses", workloads[name])
        keys = sentences(text_of("list", "keys"))
        self.assertLessEqual({(key, sentence) for key, sentence in keys if key.startswith("workload.")}, listed)
        self.assertLessEqual(listed, keys)

    def test_a_name_that_means_two_things_is_explained_for_each(self):
        owners = {}
        for block in text_of("list", "keys").split("\n\n"):
            owner, _, lines = block.strip().partition("\n")
            for key, sentence in sentences(lines):
                owners.setdefault(key, {})[owner] = sentence
        self.assertEqual(owners["workload.read_percent"].keys(), {"the workload ycsb:", "the workload stress:"})
        self.assertIn("operations that read a record", owners["workload.read_percent"]["the workload ycsb:"])
        self.assertRegex(
            owners["workload.read_percent"]["the workload stress:"],
            r"^transactions that only read, in percent \(a whole number from 0 to 100; otherwise \d+\)$",
        )
        self.assertNotIn("the workload stress:", owners["workload.zipf_coefficient"])

    def test_systems_have_a_sentence_their_promise_and_their_parameters(self):
        text = text_of("list", "systems")
        for name in names("systems"):
            promises = {"abdlock": "linearizable registers", "nam": "update atomicity", "nam-naive": "snapshot isolation",
                        "pilaf": "linearizable registers", "prism-kv": "linearizable registers", "prism-rs": "linearizable registers",
                        "prism-tx": "serializability",
                        "si-2pc": "snapshot isolation"}
            promise = promises.get(name, "strict serializability")
            self.assertRegex(text, rf"(?m)^{name} +\S.*; {promise} \(.+\)$")
        keys = explained(text_of("list", "keys"))
        own = explained(text)
        for key in ["run.log_ring_bytes", "plan.trust_atomics_across_nics"]:
            self.assertEqual(own[key], keys[key])


if __name__ == "__main__":
    unittest.main()
