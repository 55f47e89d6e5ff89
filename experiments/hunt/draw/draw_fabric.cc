// Losses and disorder.
#include <cstdint>
#include <string>

#include "experiments/hunt/draw/draws.h"
#include "experiments/hunt/draw/system_draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// So that erased records are taken out during a run, but not so short that who has to wait for
// lost messages, or is interrupted all the time, never ends: stuck sooner than refused.
void limit_age(DrawnRun& run) {
  const bool loses = run.has("fabric.ud_loss");
  const char* const age_key = draws_of(run.system()).age_key;
  if (age_key == nullptr || loses || run.value_of("workload") != "stress" || !run.chance(60)) {
    return;
  }
  const bool slow = run.has("chaos");
  const bool by_cpu = run.has("nam.locality");
  run.set(age_key, !slow ? "1ms" : by_cpu ? "10ms" : "3ms", {""});
  if (!slow) run.be_patient("90ms");
}

// Lets whoever is in the midst of a record wait there for others.
void meetings(DrawnRun& run) {
  run.set("fabric.chaos_meet", run.one_of(Values{"0.02", "0.05", "0.1"}), {""});
  run.set("fabric.chaos_interrupt_ns", run.one_of(Values{"10000", "30000"}), {""});
  run.set("fabric.chaos_jitter_ns", run.one_of(Values{"3000", "3000", "10000"}), {""});
}

// Interrupts in which others go through a whole transaction.
void rare_and_long(DrawnRun& run) {
  run.set("fabric.chaos_preempt", run.one_of(Values{"0.003", "0.01", "0.03"}), {""});
  run.set("fabric.chaos_interrupt_ns", run.one_of(Values{"8000", "30000"}), {""});
}

// The last request of a queue pair that is lost is missed when the NIC's timer ends, after 67 ms.
void lossy_connections(DrawnRun& run) {
  run.set("fabric.rc_loss", run.one_of(Values{"0.001", "0.01", "0.03"}), {""});
  const char* const age_key = draws_of(run.system()).age_key;
  if (age_key != nullptr) run.set(age_key, "5s", {});
  run.be_patient("20s");
}

// Snapshots get too old while transactions wait, or take their locks. Nothing else may take long.
void short_ages(DrawnRun& run) {
  const bool slow = run.has("chaos") || run.has("fabric.ud_loss") || run.has("fabric.rc_loss") ||
                    run.has("nam.journals");
  const char* const age_key = draws_of(run.system()).age_key;
  if (age_key == nullptr || slow || run.value_of("workload") != "stress" || !run.chance(50)) {
    return;
  }
  run.set(age_key, run.one_of(Values{"30us", "50us"}), {""});
  run.set("workload.rounds", "1", {});
  run.set("workload.pause_percent", "50", {""});
}

}  // namespace

void draw_fabric(DrawnRun& run) {
  if (run.is_a_duel() || asks_for_chaos(run.ground()) || run.chance(75))
    run.set("chaos", "true", {""});
  run.sometimes(20, "rdma.rpc_transport", {"write-ring"});
  // Only datagrams are lost.
  if (run.chance(60) && !run.has("rdma.rpc_transport")) {
    run.sometimes(70, "fabric.ud_loss", {"0.003", "0.03", "0.1", "0.3"});
    run.sometimes(50, "fabric.ud_duplicate", {"0.01", "0.1", "0.5"});
    run.sometimes(50, "fabric.ud_reorder", {"0.05", "0.3"});
  }
  if (run.value_of("fabric.ud_loss") == "0.3") run.be_patient("2s");
  if (!run.info().replicates) limit_age(run);
  if (run.chance(12)) lossy_connections(run);
  if (!run.has("chaos")) return short_ages(run);
  run.sometimes(40, "fabric.chaos_jitter_ns", {"50", "3000"});
  if (run.is_a_duel()) {
    if (run.chance(75)) return meetings(run);
    run.set("fabric.chaos_preempt", "0.3", {""});
    run.set("fabric.chaos_interrupt_ns", run.one_of(Values{"1000", "3000", "5000"}), {""});
    return;
  }
  if (!run.info().replicates && run.chance(80)) return meetings(run);
  if (run.chance(30)) return rare_and_long(run);
  run.sometimes(50, "fabric.chaos_preempt", {"0", "0.2", "0.4"});
  run.sometimes(40, "fabric.chaos_interrupt_ns", {"50", "2000"});
}

}  // namespace verbena::experiments
