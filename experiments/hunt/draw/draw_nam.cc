// Memory servers, the oracle, versions and overflow.
#include <string>

#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// Designs of the oracle, that of nam-naive among them.
void oracle(DrawnRun& run) {
  run.sometimes(40, "nam.oracle", {"compressed", "compressed", "counter"});
  const std::string design = run.value_of("nam.oracle");
  if (design == "compressed" || (design.empty() && !run.has("connections"))) {
    run.sometimes(20, "nam.await_publication", {"false"});
  }
  // A vector of servers is too small for two.
  if (design.empty() && run.value_of("nodes") == "5") run.sometimes(50, "nam.oracles", {"2"});
  const bool background = run.has("nam.background_snapshots");
  if (background) run.sometimes(20, "nam.fetch_pause", {"1us", "20us"});
  if (design.empty() && background) {
    run.sometimes(50, "nam.session", {"override"});
  } else if (background || design == "counter") {
    run.sometimes(20, "nam.session", {"none"});
  }
}

// Written before anything is installed, by two memory servers at least, and so for clusters that
// have so many, of servers that compute alone or of both kinds.
void journals(DrawnRun& run) {
  run.set("nam.journals", "2", {""});
  if (run.chance(25)) {
    run.set("nodes", run.one_of(Values{"3", "4", "4"}), {"3"});
    run.set("nam.locality", "true", {});
    run.set("nics-per-node", "1", {});
    run.set("nam.oracle_on_memory", run.one_of(Values{"true", "false"}), {"false"});
    if (run.value_of("nodes") == "4") run.sometimes(40, "nam.journals", {"3"});
  } else {
    run.set("nodes", run.one_of(Values{"4", "5", "5", "6", "6"}), {});
    run.set("nam.oracle_on_memory", run.value_of("nodes") == "6" ? "false" : "true", {});
  }
  if (run.chance(40)) {
    run.set("nam.background_snapshots", "true", {""});
    run.sometimes(20, "nam.fetch_pause", {"1us", "20us"});
    run.sometimes(30, "nam.session", {"override"});
  }
}

void places(DrawnRun& run) {
  if (run.value_of("nodes") == "2") {
    run.set("nam.oracle_on_memory", "true", {});
  } else {
    run.sometimes(30, "nam.oracle_on_memory", {"true"});
  }
  if (run.chance(40)) {
    run.set("nam.locality", "true", {""});
    run.set("nics-per-node", "1", {});
  } else {
    run.sometimes(20, "nam.memory_nodes", {"1"});
  }
  if (run.chance(40)) run.set("nam.background_snapshots", "true", {""});
  oracle(run);
}

}  // namespace

// One-sided verbs by compute servers alone.
void draw_nam(DrawnRun& run) {
  run.set("replicas", "1", {});
  if (run.system() == "nam" && run.chance(30)) {
    journals(run);
  } else {
    places(run);
  }
  if (run.has("nam.locality")) run.sometimes(30, "nam.own_by_nic", {"true"});
  run.sometimes(50, "nam.stable_snapshots", {"true"});
  run.sometimes(40, "nam.versions", {"1", "2"});
  // Headers of several lines are READ, and written, at different times.
  run.sometimes(15, "nam.versions", {"5", "8"});
  run.sometimes(40, "nam.bucket_slots_percent", {"1", "5", "20"});
  run.sometimes(40, "nam.overflow_kib", {"64", "10000"});
  run.sometimes(30, "nam.extent_records", {"1", "4"});
  run.sometimes(30, "nam.first_buckets", {"1", "1", "4"});
}

}  // namespace verbena::experiments
