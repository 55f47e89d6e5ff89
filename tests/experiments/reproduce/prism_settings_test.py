#!/usr/bin/env python3
"""The figures of the PRISM paper have the settings that it tells: claims that are of settings, and not of results.

prism_settings_test.py FIGURE...: the files.
"""

import os
import sys
import tomllib
import unittest

FIGURES = {}
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        FIGURES[os.path.basename(path).removesuffix(".toml")] = tomllib.load(file)

# There and back, each of which the switch adds to.
TRAVERSALS = 2


def added_latency_us(point):
    return TRAVERSALS * point["settings"]["fabric.switch_latency_ns"] / 1000


class PrismSettingsTest(unittest.TestCase):
    def test_p17_25_gbe_joined_directly_512_bytes(self):
        settings = FIGURES["1"]["settings"]
        self.assertEqual((settings["nic.port_gbps"], settings["fabric.link_gbps"]), (25, 25))
        self.assertEqual(settings["fabric.switch_latency_ns"], 0)
        self.assertEqual(settings["payload"], 512)

    def test_p26_to_p28_networks(self):
        latencies = {point["at"]: added_latency_us(point) for point in FIGURES["2"]["x"]["points"]}
        self.assertEqual(latencies, {"direct": 0, "rack": 0.6, "cluster": 3, "data centre": 24})

    def test_p31_p33_the_applications_network_is_the_profiles_of_the_nic(self):
        for name in ["2.1", "3", "4", "6", "7", "9", "10"]:
            self.assertEqual(FIGURES[name]["settings"]["nic"], "connectx-5-40g")
            self.assertFalse([key for key in FIGURES[name]["settings"] if key.startswith("fabric.")])

    def test_p32_p34_one_server_and_up_to_eleven_clients(self):
        for name in ["3", "4"]:
            self.assertEqual(FIGURES[name]["settings"]["prism"]["servers"], 1)
            nodes = [point["settings"]["nodes"] for point in FIGURES[name]["x"]["points"]]
            self.assertEqual((min(nodes), max(nodes)), (2, 12))

    def test_p35_sixteen_cores_serve(self):
        for name in ["3", "4", "6", "7"]:
            self.assertEqual(FIGURES[name]["settings"]["prism"]["server_workers"], 16)

    def test_p37_to_p39_objects(self):
        for name in ["3", "4", "6", "7", "9", "10"]:
            workload = FIGURES[name]["settings"]["workload"]
            self.assertEqual(workload["records"], 8_000_000)
            # A count of 8 B comes before the fields.
            self.assertEqual(8 + workload["field_count"] * workload["field_bytes"], 512)
            self.assertEqual(workload["key_bytes"], 8)

    def test_p40_core_workloads_c_and_a_uniform(self):
        workloads = [FIGURES[name]["settings"]["workload"] for name in ["3", "4"]]
        self.assertEqual([workload["core"] for workload in workloads], ["C", "A"])
        self.assertEqual([workload["distribution"] for workload in workloads], ["uniform", "uniform"])

    def test_p59_three_replicas_and_half_of_the_operations_writes(self):
        for name in ["6", "7"]:
            self.assertEqual(FIGURES[name]["settings"]["replicas"], 3)
            self.assertEqual(FIGURES[name]["settings"]["workload"]["core"], "A")

    def test_p64_100_clients_and_zipf_distributed_keys(self):
        settings = FIGURES["7"]["settings"]
        machines = settings["nodes"] - settings["replicas"]
        self.assertEqual(machines * settings["prism"]["client_workers"] * settings["coroutines"], 100)
        self.assertEqual(settings["workload"]["distribution"], "zipfian")
        self.assertEqual(FIGURES["7"]["x"]["setting"], "workload.zipf_coefficient")

    def test_p70_one_shard_and_short_read_modify_writes(self):
        for name in ["9", "10"]:
            for series in FIGURES[name]["series"]:
                settings = series["settings"]
                servers = "prism" if settings["system"] == "prism-tx" else "run"
                self.assertEqual((settings[servers + ".servers"], settings[servers + ".server_workers"]), (1, 16))
            workload = FIGURES[name]["settings"]["workload"]
            self.assertEqual((workload["read_percent"], workload["read_modify_write_percent"]), (0, 100))
            self.assertEqual(workload["keys_per_transaction"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
