// Time for what is slow, but gets on.
#include <cstddef>
#include <string_view>

#include "experiments/hunt/draw/draws.h"
#include "experiments/hunt/draw/system_draws.h"

namespace verbena::experiments {

// Slow are handlers that are interrupted for tens of microseconds at every tenth step, of which a
// peer has many to wait for; NICs that read each request of a long queue from memory; audits, and
// copies of all records for checkpoints, that are interrupted all the while; snapshots that one
// fiber of many takes for all, interrupted likewise, which are old when they are there; writers
// behind a full overflow, who wait as long as a transaction may last, perhaps several times; chains
// of dozens of operations, of all clients at one core, interrupted at each step; messages that take
// tens of microseconds each to be written to memory, one after the other, as those of one server.
void draw_patience(DrawnRun& run) {
  constexpr std::size_t kTensOfMicroseconds = std::string_view("10000").size();
  const bool interrupted = run.value_of("fabric.chaos_interrupt_ns").size() >= kTensOfMicroseconds;
  const bool spread = run.value_of("fabric.chaos_jitter_ns").size() >= kTensOfMicroseconds;
  if ((interrupted || spread) && run.value_of("rdma.rpc_max_timeout") == "1ms") {
    run.set("rdma.rpc_max_timeout", "10ms", {});
  }
  // A sign of life that finds no receive buffer is sent again after as much.
  for (const char* key : {"prism.suspect_after", "blocks.suspect_after"}) {
    const std::string silence = run.value_of(key);
    const bool brief = silence == "10ms" || silence == "20ms";
    if (brief && run.value_of("rdma.rpc_max_timeout") == "10ms") run.set(key, "200ms", {});
  }
  if (run.info().replicates || run.value_of("run.patience") == "20s") return;
  const char* const age_key = draws_of(run.system()).age_key;
  const bool audits = interrupted && run.has("workload.audit_percent");
  const bool copies = interrupted && run.has("nam.checkpoint_interval");
  const bool late_snapshots = interrupted && run.has("nam.background_snapshots");
  const bool slow_nic = run.has("nic.wqe_cache_entries");
  if (age_key != nullptr && (audits || slow_nic) && !run.has(age_key)) run.set(age_key, "1s", {});
  if (late_snapshots && run.value_of(age_key) == "10ms") run.set(age_key, "100ms", {});
  const bool dozens_of_records =
      run.value_of("workload") == "tpcc-no" || run.has("workload.market_feed_percent");
  const bool long_chains = run.system() == "prism-tx" && dozens_of_records && run.has("chaos");
  if (audits || copies || slow_nic) {
    run.be_patient("10s");
  } else if (late_snapshots || long_chains || run.value_of("nam.overflow_kib") == "64") {
    run.be_patient("2s");
  }
}

}  // namespace verbena::experiments
