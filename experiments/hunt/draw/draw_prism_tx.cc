// PRISM-TX, and workloads that scan nothing.
#include <algorithm>
#include <string>
#include <vector>

#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {

void draw_prism_tx(DrawnRun& run) {
  draw_prism_servers(run);
  // Several servers, each of which has a part in what one attempt prepares.
  if (run.chance(25)) {
    run.set("nodes", "5", {"4"});
    run.set("prism.servers", "3", {"2", "1"});
  }
  run.sometimes(50, "tx.prepare", {"pipelined"});
  run.sometimes(30, "tx.merge_rmw", {"true"});
  run.sometimes(30, "tx.clock_skew", {"0s", "20us", "1ms"});
  run.sometimes(20, "tx.abort", {"equal"});
  run.sometimes(50, "prism.spares", {"1", "2", "8"});
  run.sometimes(20, "prism.low_water", {"1", "100"});
}

std::vector<std::string> workloads_without_scans(const DrawnRun& run) {
  std::vector<std::string> all = run.ground().workloads;
  std::erase(all, "tpcc");
  // Runs that go together need another workload; these are refused.
  return all.empty() ? run.ground().workloads : all;
}

void draw_without_scans(DrawnRun& run) {
  const std::string workload = run.value_of("workload");
  if (workload == "stress") {
    run.set("workload.scan_percent", "0", {});
    // Few slots for keys that come, so that they meet in them; as many as there are keys at least.
    const bool few_keys = run.value_of("workload.keys_per_node").size() < 3;
    if (few_keys) run.sometimes(40, "workload.new_records", {"12"});
  }
  if (workload == "ycsb") run.sometimes(60, "workload.update", {"replace"});
}

}  // namespace verbena::experiments
