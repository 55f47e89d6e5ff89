// The order of the draws: first what others go by.
#include "experiments/hunt/draw/draw.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "experiments/hunt/draw/drawn_run.h"
#include "experiments/hunt/draw/draws.h"
#include "experiments/hunt/draw/system_draws.h"
#include "rdma/base/random.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

// The same one whenever a seed is drawn: else those that take few settings would hardly be tried.
const std::string& one_of_systems(std::uint64_t seed, const HuntGround& ground) {
  return ground.systems[Random(mix64(~seed)).below(ground.systems.size())];
}

// Signs of life are calls then. Where calls are lost, who is alive is silent for as long as one of
// them is repeated; and two servers are found dead one after the other only when calls to them are
// given up. Who waits for a server that is gone keeps locks until then, which others try to take.
void make_time_for_calls(DrawnRun& run) {
  if (run.has("nam.heartbeat") && run.has("fabric.ud_loss")) {
    run.set("nam.suspect_after", "190ms", {});
    run.set("rdma.rpc_max_timeout", "10ms", {});
    run.be_patient("20s");
  } else if (run.has("faults.restore") && !run.has("rdma.rpc_transport")) {
    run.set("rdma.rpc_max_timeout", "1ms", {});
  }
}

// Also by a stream of its own, which leaves all other settings of a seed as they are. Checkpoints
// that are copied while cores are interrupted all the time make peers wait for as long.
void draw_prism(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x707269736d;
  constexpr std::uint64_t kLongInterruptNs = 10000;
  const bool drawn = Random(mix64(seed ^ kStream) + draw).below(4) == 0;
  const bool twice = run.has("faults.second_at") && run.has("fabric.ud_loss");
  const bool copies = run.has("nam.checkpoint_interval") && run.has("fabric.chaos_interrupt_ns") &&
                      std::stoul(run.value_of("fabric.chaos_interrupt_ns")) >= kLongInterruptNs;
  if (drawn && !twice && !copies) run.set("prism", "software", {""});
  if (run.value_of("prism") == "software") make_time_for_calls(run);
}

// Likewise: most of PRISM's systems have NICs that carry out chains, one of each server's,
// since several do not exclude each other. The buffers of a client that dies are lost; who gives
// buffers back to a server that is dead tries for as long as it is not known to be.
void draw_nic(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x6e6963;
  if (!txn::protocol_of_system(run.system()).starts_with("prism-")) return;
  Random random(mix64(seed ^ kStream) + draw);
  if (random.below(4) != 0) run.set("prism", "nic", {""});
  if (run.value_of("prism") != "nic") return;
  run.set("nics-per-node", "1", {});
  if (run.has("faults.kill_at")) {
    run.set("prism.spares", "64", {});
    const bool found_late =
        run.value_of("blocks.suspect_after") == "4s" || run.value_of("prism.suspect_after") == "4s";
    if (found_late) run.set("rdma.rpc_max_timeout", "300ms", {});
  } else if (run.has("chaos") && random.below(2) == 0) {
    // Operations stand still while others replace what they have found, and use it again.
    run.set("fabric.chaos_jitter_ns", random.below(2) == 0 ? "3000" : "30000", {""});
    run.set("fabric.chaos_meet", "0.1", {""});
    run.set("prism.spares", "1", {""});
  }
}

// Likewise: a tenth of what can has servers apart from clients, and so no replicas. All of them
// have as many of TPC-C's warehouses.
void draw_servers(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x73657276657273;
  const std::uint64_t nodes = std::stoul(run.value_of("nodes"));
  if (txn::protocol_of_system(run.system()) != "occ" || nodes < 2) return;
  Random random(mix64(seed ^ kStream) + draw);
  if (random.below(10) == 0 && run.may_set("replicas")) {
    const std::uint64_t servers = 1 + random.below(std::min<std::uint64_t>(nodes - 1, 3));
    run.set("run.servers", std::to_string(servers), {"", "1"});
    if (random.below(4) == 0) run.set("run.server_workers", "1", {""});
    if (random.below(4) == 0) run.set("run.client_workers", "1", {""});
  }
  const std::string servers = run.value_of("run.servers");
  if (servers.empty() || servers == "0") return;
  run.set("replicas", "1", {});
  if (run.has("warehouses"))
    run.set("warehouses", std::to_string(2 * std::stoul(servers)), {servers});
}

// Likewise: some simulate on more than one thread.
void draw_sim_threads(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x74687265616473;
  Random random(mix64(seed ^ kStream) + draw);
  if (random.below(8) != 0) return;
  run.set("sim-threads", random.below(2) == 0 ? "2" : "3", {""});
}

}  // namespace

HuntedRun draw_run(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw) {
  DrawnRun run(seed, draw, ground, one_of_systems(seed, ground));
  draw_cluster(run);
  draw_length(run);
  run.set("system", run.system(), {""});
  const SystemDraws& of_system = draws_of(run.system());
  of_system.draw(run);
  draw_workload(run);
  draw_fabric(run);
  if (of_system.draw_faults != nullptr) of_system.draw_faults(run);
  draw_workers(run);
  draw_servers(run, seed, draw);
  draw_prism(run, seed, draw);
  draw_cores(run, seed, draw);
  draw_deaths_of_clients(run, seed, draw);
  draw_nic(run, seed, draw);
  draw_without(run, seed, draw);
  draw_patience(run);
  draw_sim_threads(run, seed, draw);
  return run.take();
}

}  // namespace verbena::experiments
