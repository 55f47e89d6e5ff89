// Nodes that die, and clients of PRISM's servers without which others go on.
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/hunt/draw/draws.h"
#include "rdma/base/random.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// After them a client's request is on its way, or its answer has come and others have to be told;
// of PRISM-TX also where it is about to give up what it has prepared, has just done so at one
// record, or has taken a slot.
std::vector<std::string> points_of_clients(const std::string& protocol) {
  if (protocol == "prism-kv") return {"kv: install sent", "kv: install answered"};
  if (protocol == "pilaf") return {"kv: put sent", "kv: put answered"};
  if (protocol == "prism-tx") {
    return {"prism_tx: attempt prepared", "prism_tx: attempt installed",
            "prism_tx: later writer met by a write", "prism_tx: given up key is as before",
            "prism_tx: slot claimed for an absent key"};
  }
  return {};
}

std::uint64_t servers_of(const DrawnRun& run) {
  if (run.has("prism.servers")) return std::stoul(run.value_of("prism.servers"));
  return std::stoul(run.value_of("nodes")) / 2;
}

}  // namespace

// A packet that is lost is sent again after 67 ms, and may be lost again; a call after 5, 10, 20
// ms; a server whose CPUs are interrupted all the time is slow to answer.
void draw_suspicion(DrawnRun& run, const std::string& section, bool dies) {
  if (run.value_of("fabric.ud_loss") == "0.3") {
    run.set(section + ".suspect_after", "20s", {});
  } else if (run.has("fabric.rc_loss") || run.has("fabric.ud_loss")) {
    run.set(section + ".suspect_after", "4s", {});
  } else if (dies) {
    run.set(section + ".suspect_after", run.one_of(Values{"10ms", "20ms"}), {});
    run.set(section + ".heartbeat", run.one_of(Values{"50us", "200us"}), {});
  }
}

void draw_death(DrawnRun& run, const std::string& section, const std::string& node,
                const std::string& point, std::uint64_t most) {
  run.set("faults.kill_node", node, {""});
  run.set("faults.kill_at", point, {""});
  run.set("faults.kill_count", std::to_string(1 + run.random().below(most)), {""});
  run.be_patient(run.value_of(section + ".suspect_after") == "4s" ? "20s" : "2s");
}

// A fifth, where a death is found soon; there are two clients at least.
void draw_deaths_of_clients(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x646561746873;
  const std::vector<std::string> points = points_of_clients(txn::protocol_of_system(run.system()));
  if (points.empty()) return;
  Random random(mix64(seed ^ kStream) + draw);
  const bool lossy = run.has("fabric.rc_loss") || run.has("fabric.ud_loss");
  const bool dies = random.below(lossy ? 10 : 4) == 0 && run.value_of("fabric.ud_loss") != "0.3";
  draw_suspicion(run, "prism", dies);
  if (!dies) return;
  if (std::stoul(run.value_of("nodes")) < servers_of(run) + 2) run.set("nodes", "3", {});
  const std::uint64_t servers = servers_of(run);
  const std::uint64_t nodes = std::stoul(run.value_of("nodes"));
  if (nodes < servers + 2) return;
  const std::string client = std::to_string(servers + random.below(nodes - servers));
  draw_death(run, "prism", client, points[random.below(points.size())], 40);
  if (run.has("chaos") && random.below(10) < 4) {
    run.set("faults.kill_late", random.below(2) == 0 ? "20us" : "800us", {""});
  }
}

}  // namespace verbena::experiments
