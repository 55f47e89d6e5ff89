// Replicated blocks, and nodes that die.
#include <cstdint>
#include <string>

#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// Three servers, and clients.
void replicas(DrawnRun& run) {
  run.set("nodes", run.one_of(Values{"4", "5", "5", "6"}), {"4", "5"});
  // Where others have set fewer nodes than it takes, the run is refused.
  run.set("replicas", std::stoul(run.value_of("nodes")) < 4 ? "1" : "3", {});
  run.sometimes(30, "prism.server_workers", {"1"});
  run.sometimes(20, "prism.client_workers", {"1"});
  run.sometimes(25, "blocks.put_reads", {"tag"});
  run.sometimes(25, "blocks.skip_write_back", {"true"});
  run.sometimes(25, "blocks.ask", {"quorum", "block-quorum"});
}

// Where a third of all messages is lost, nobody dies: it would take long to be sure.
bool somebody_dies(DrawnRun& run, unsigned percent) {
  const bool dies = run.chance(percent) && run.value_of("fabric.ud_loss") != "0.3";
  draw_suspicion(run, "blocks", dies);
  return dies;
}

void kill_a_replica(DrawnRun& run) {
  draw_death(run, "blocks", run.one_of(Values{"0", "1", "2"}), "prism: sign of life heard", 20);
}

// In a write phase. Buffers that it has not given back are found when it is known to be dead.
void kill_a_client(DrawnRun& run) {
  run.set("nodes", "5", {});
  run.set("prism.spares", "64", {});
  draw_death(run, "blocks", run.one_of(Values{"3", "4"}),
             run.one_of(Values{"blocks: version written at a replica", "blocks: newer tag met"}),
             40);
  if (run.has("chaos")) run.sometimes(40, "faults.kill_late", {"20us", "800us"});
}

}  // namespace

void draw_abdlock(DrawnRun& run) {
  replicas(run);
  // Atomics of two NICs do not exclude each other in chaos.
  if (!run.has("prism.server_workers")) run.set("nics-per-node", "1", {});
  run.sometimes(40, "blocks.lock_backoff", {"500ns", "1us", "20us"});
}

// NICs send lost packets again after a millisecond: clients that wait for one have locks, for which
// all others wait.
void draw_abdlock_faults(DrawnRun& run) {
  if (run.has("fabric.rc_loss")) run.set("rdma.rc_timeout_exponent", "8", {});
  if (somebody_dies(run, 25)) kill_a_replica(run);
}

void draw_prism_rs(DrawnRun& run) {
  replicas(run);
  run.sometimes(40, "prism.spares", {"1", "2", "8"});
}

void draw_prism_rs_faults(DrawnRun& run) {
  if (!somebody_dies(run, 40)) return;
  if (run.chance(60)) {
    kill_a_replica(run);
  } else {
    kill_a_client(run);
  }
}

}  // namespace verbena::experiments
