// Key-value stores, and workloads of one record a transaction.
#include <algorithm>
#include <string>
#include <vector>

#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// Single records, few of them.
void ycsb_of_one(DrawnRun& run) {
  run.set("workload.keys_per_transaction", "1", {});
  run.set("workload.records", run.one_of(Values{"1", "2", "4", "8"}), {"1"});
  if (run.chance(50)) {
    run.set("workload.update_percent", "80", {""});
    run.set("workload.read_percent", "20", {""});
  } else if (run.info().inserts) {
    run.set("workload.core", run.one_of(Values{"A", "D", "F"}), {""});
  }
  if (run.info().single_step_updates) run.sometimes(50, "workload.update", {"replace"});
}

// Keys come and go.
void stress_of_one(DrawnRun& run) {
  run.set("workload.records", "1", {});
  run.set("workload.scan_percent", "0", {});
  run.set("workload.keys_per_node", run.one_of(Values{"4", "8", "12"}), {"4"});
  // Few slots for keys that come, so that they meet in them.
  run.sometimes(60, "workload.new_records", {"6", "12"});
  run.set("workload.hot_keys", run.one_of(Values{"1", "3"}), {"1"});
  run.number("workload.rounds", 1, 3);
  run.sometimes(50, "workload.read_percent", {"0", "60"});
  run.sometimes(60, "workload.insert_percent", {"30", "40"});
  run.sometimes(60, "workload.erase_percent", {"25"});
  run.sometimes(30, "workload.roll_back_percent", {"0", "25"});
  run.sometimes(30, "workload.pause_percent", {"0", "50"});
  run.sometimes(30, "workload.long_bytes", {"8", "64", "600"});
}

}  // namespace

void draw_prism_servers(DrawnRun& run) {
  run.set("replicas", "1", {});
  run.sometimes(40, "prism.servers", {"1"});
  run.sometimes(30, "prism.server_workers", {"1"});
  run.sometimes(20, "prism.client_workers", {"1"});
}

void draw_prism_kv(DrawnRun& run) {
  draw_prism_servers(run);
  run.sometimes(70, "prism.spares", {"1", "1", "2", "8"});
  run.sometimes(20, "prism.low_water", {"1", "100"});
}

void draw_pilaf(DrawnRun& run) {
  draw_prism_servers(run);
  run.sometimes(70, "pilaf.spare_extents", {"1", "1", "2"});
}

std::vector<std::string> workloads_of_one_record(const DrawnRun& run) {
  std::vector<std::string> all = run.ground().workloads;
  std::erase_if(all, [&](const std::string& name) {
    return name != "ycsb" && (name != "stress" || !run.info().inserts);
  });
  // Runs that go together need another workload; these are refused.
  return all.empty() ? run.ground().workloads : all;
}

void draw_one_record(DrawnRun& run) {
  run.set("run.max_transactions", "200", {"1", "5", "20", "50", "100"});
  const std::string workload = run.value_of("workload");
  if (workload == "ycsb") ycsb_of_one(run);
  if (workload == "stress") stress_of_one(run);
}

}  // namespace verbena::experiments
