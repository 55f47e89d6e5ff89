// Plans, logs and caches.
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

std::string plan_change(DrawnRun& run) {
  const std::string phase =
      run.one_of(Values{"execute", "validate", "log", "commit", "read", "read-validate"});
  if (run.chance(10)) return run.one_of(Values{"execute=hybrid", "read=hybrid", "commit=hybrid"});
  if (run.chance(25)) {
    return run.one_of(Values{"commit.passive_ack=on", "commit.passive_ack=on",
                             "commit.passive_ack=off", "execute.cache=on", "execute.cache=off",
                             "execute.locks=on", "execute.locks=off", "log.whole=on",
                             "lock=one-sided", "lock=two-sided"});
  }
  if (run.chance(50)) {
    return fmt::format("{}={}", phase, run.one_of(Values{"one-sided", "two-sided"}));
  }
  return fmt::format("{}.{}={}", phase, run.one_of(Values{"outstanding", "doorbell"}),
                     run.one_of(Values{"on", "off"}));
}

}  // namespace

void draw_occ(DrawnRun& run) {
  if (run.chance(15)) {
    // Many notifications in flight.
    run.set("plan", "lock=two-sided,commit=two-sided,commit.passive_ack=on", {""});
  } else if (run.chance(40)) {
    std::string changes;
    for (std::uint64_t left = 1 + run.random().below(3); left > 0; --left) {
      changes += (changes.empty() ? "" : ",") + plan_change(run);
    }
    run.set("plan", changes, {""});
  }
  if (run.system() == "farm" && !run.has("plan")) {
    run.sometimes(30, "plan.validate_written", {"true"});
  }
  run.sometimes(40, "run.bucket_slots_percent", {"1", "5", "20"});
  run.sometimes(20, "run.log_ring_bytes", {"8192", "16384", "65536"});
  run.sometimes(20, "run.shortest_log_rings", {"true"});
  run.sometimes(20, "run.location_cache_bytes", {"0", "4096"});
  run.sometimes(40, "run.warm_location_cache", {"false"});
  run.sometimes(40, "run.cold_start", {"true"});
  run.sometimes(15, "plan.log_own_backups", {"true"});
  run.sometimes(15, "plan.whole_log", {"true"});
  run.sometimes(20, "plan.log_again", {"true"});
  run.sometimes(20, "run.execution_time", {"remote-reads"});
}

}  // namespace verbena::experiments
