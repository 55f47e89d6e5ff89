// Replicated blocks, and replicas that die.
#include <string>

#include "experiments/hunt/draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// Three servers, and clients.
void replicas(DrawnRun& run) {
  run.set("nodes", run.one_of(Values{"4", "5", "5", "6"}), {"4", "5"});
  run.set("replicas", "3", {});
  run.sometimes(30, "prism.server_workers", {"1"});
  run.sometimes(20, "prism.client_workers", {"1"});
  run.sometimes(25, "blocks.put_reads", {"tag"});
  run.sometimes(25, "blocks.skip_write_back", {"true"});
  run.sometimes(25, "blocks.ask", {"quorum"});
}

// A packet that is lost is sent again after 67 ms, and may be lost again; a server whose CPUs are
// interrupted all the time is slow to answer.
void suspicion(DrawnRun& run, bool dies) {
  if (run.has("fabric.rc_loss")) {
    run.set("blocks.suspect_after", "400ms", {});
  } else if (dies) {
    run.set("blocks.suspect_after", run.one_of(Values{"10ms", "20ms"}), {});
    run.set("blocks.heartbeat", run.one_of(Values{"50us", "200us"}), {});
  }
}

}  // namespace

void draw_abdlock(DrawnRun& run) {
  replicas(run);
  // Atomics of two NICs do not exclude each other in chaos.
  if (!run.has("prism.server_workers")) run.set("nics-per-node", "1", {});
  run.sometimes(40, "blocks.lock_backoff", {"500ns", "1us", "20us"});
}

void draw_abdlock_faults(DrawnRun& run) {
  const bool dies = run.chance(25);
  suspicion(run, dies);
  if (!dies) return;
  run.set("faults.kill_node", run.one_of(Values{"0", "1", "2"}), {""});
  run.set("faults.kill_at", "blocks: sign of life heard", {""});
  run.set("faults.kill_count", std::to_string(1 + run.random().below(20)), {""});
  run.be_patient("2s");
}

}  // namespace verbena::experiments
