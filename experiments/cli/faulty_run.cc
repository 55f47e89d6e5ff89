// Deaths, and what is restored after them.
#include "experiments/cli/faulty_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/cli/measuring.h"
#include "experiments/config/series.h"
#include "experiments/hunt/expected_points.h"
#include "experiments/hunt/reachable.h"
#include "experiments/report/build_info.h"
#include "experiments/report/text/death_text.h"
#include "experiments/session/agreement.h"
#include "experiments/session/make_fabric.h"
#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/base/text/nearest_name.h"
#include "rdma/seam/crash_point.h"
#include "workloads/run/history/history_check.h"

namespace verbena::experiments {
namespace {

class Deaths {
 public:
  explicit Deaths(const RunCommand& command) {
    arm(crashes_[0], command.crash, command.crash.late);
    arm(crashes_[1], command.second_crash, command.crash.late);
  }

  /// The crashes that were asked for.
  std::vector<rdma::CrashPoint*> points() {
    std::vector<rdma::CrashPoint*> armed;
    for (rdma::CrashPoint& crash : crashes_) {
      if (!crash.point.empty()) armed.push_back(&crash);
    }
    return armed;
  }

  /// Words before those of a run that was ended by a missing peer; empty: nobody has died.
  std::string text(const RunCommand& command) const {
    std::vector<Killed> killed;
    for (std::size_t i = 0; i < crashes_.size(); ++i) {
      if (!crashes_[i].happened()) continue;
      killed.push_back({.node = crashes_[i].node,
                        .key = i == 0 ? "faults.kill_at" : "faults.second_at",
                        .point = crashes_[i].point});
    }
    return killed_text(killed, *command.loaded_system,
                       {.nodes = command.cluster.nodes, .replicas = command.run.replicas});
  }

  std::vector<NodeId> dead() const {
    std::vector<NodeId> nodes;
    for (const rdma::CrashPoint& crash : crashes_) {
      if (crash.happened()) nodes.push_back(crash.node);
    }
    return nodes;
  }

 private:
  static void arm(rdma::CrashPoint& crash, const CrashOptions& options, Nanoseconds late) {
    crash.node = static_cast<NodeId>(options.node);
    crash.point = options.point;
    crash.count = options.count;
    crash.late = late;
  }

  std::array<rdma::CrashPoint, 2> crashes_;
};

// The remains of a cluster that saved what it had.
struct Ended {
  std::unique_ptr<workloads::HistoryCheck> told;  // to its clients; null if that was not recorded
  std::optional<workloads::RunResult> result;     // nothing if a node was missing
  std::uint64_t trace_digest = 0;
};

Ended run_to_its_end(const RunCommand& command, const workloads::Workload& workload,
                     const workloads::RunOptions& options, simnic::Observer* observer,
                     const Deaths& deaths) {
  Ended ended;
  const auto fabric = make_fabric(command, observer);
  workloads::ClusterRun run(*fabric, workload, *command.loaded_system, options);
  try {
    ended.result = run.run();
  } catch (const PeerMissing&) {
    if (deaths.dead().empty()) throw;
  }
  ended.told = run.release_check();
  ended.trace_digest = fabric->trace_digest();
  return ended;
}

constexpr std::array kDeathKeys = {"faults.kill_at", "faults.second_at"};

void check_known(const char* key, const std::string& point) {
  if (point.starts_with("nic: ")) {
    throw ParameterError(key, point, "is a NIC counter; nodes can only die at points of the code");
  }
  const std::vector<std::string> known = code_points();
  if (std::ranges::find(known, point) != known.end()) return;
  throw ParameterError(key, point, "the code has no such point" + did_you_mean(point, known));
}

// Before the run, since it would end without a death.
void check_reachable(const char* key, const std::string& point, const std::string& system) {
  const HuntGround ground{.systems = {system}, .workloads = {}, .sets = {}};
  const ReachablePoints reachable(ground);
  if (reachable.may_contain(point)) return;
  std::vector<std::string> own = code_points();
  std::erase_if(own, [&](const std::string& other) { return !reachable.contains(other); });
  constexpr std::size_t kShown = 3;
  throw ParameterError(
      key, point,
      fmt::format("system '{}' never reaches this point; its nearest points are {}", system,
                  fmt::join(nearest_names(point, own, kShown), ", ")));
}

bool holds(const workloads::RunResult& result) {
  return result.verification.ok() && !result.anomaly;
}

// The files are the run's own, so a user has made no mistake where they are refused.
std::unique_ptr<workloads::ClusterRun> begun_from_saved(const RunCommand& command,
                                                        rdma::Fabric& fabric,
                                                        const workloads::Workload& workload,
                                                        const workloads::RunOptions& options) {
  try {
    return std::make_unique<workloads::ClusterRun>(fabric, workload, *command.loaded_system,
                                                   options);
  } catch (const ConfigurationError& refusal) {
    throw std::runtime_error(std::string("what the cluster saved cannot be restored: ") +
                             refusal.what());
  }
}

workloads::RunResult restored(const RunCommand& command, const workloads::Workload& workload,
                              workloads::RunOptions options, Ended ended) {
  options.crashes.clear();
  if (options.unfinished != nullptr) options.unfinished->clear();
  options.seed = mix64(options.seed);
  const auto fabric = make_fabric(command);
  const auto run = begun_from_saved(command, *fabric, workload, options);
  std::optional<txn::Anomaly> missing;
  if (ended.told != nullptr) missing = run->compare(*ended.told);
  workloads::RunResult result = run->run();
  if (missing) result.anomaly = std::move(missing);
  result.trace_digest = mix64(result.trace_digest ^ ended.trace_digest);
  return result;
}

}  // namespace

void check_points_of_deaths(const RunCommand& command) {
  const std::array all = {std::pair(kDeathKeys[0], &command.crash),
                          std::pair(kDeathKeys[1], &command.second_crash)};
  for (const auto& [key, crash] : all) {
    if (!crash->point.empty()) check_known(key, crash->point);
  }
  // Each of several measurements has its own system, and is told by itself.
  if (!command.measurements.empty()) return;
  for (const auto& [key, crash] : all) {
    if (!crash->point.empty()) check_reachable(key, crash->point, command.system);
  }
}

void check_points_of_deaths(const std::vector<Assignment>& sets) {
  for (const Assignment& said : sets) {
    const bool names_point = said.key == kDeathKeys[0] || said.key == kDeathKeys[1];
    if (!names_point || said.value.empty() || listed_values(said)) continue;
    check_known(said.key.c_str(), said.value);
  }
}

FaultyRun run_with_faults(const RunCommand& command, const workloads::Workload& workload,
                          workloads::RunOptions options, simnic::Observer* observer) {
  Deaths deaths(command);
  options.crashes = deaths.points();
  if (!command.restores) {
    const auto fabric = make_fabric(command, observer);
    fabric->rendezvous().heed(options.stop);
    return among_peers(command, build_commit(), *fabric, [&] {
      workloads::ClusterRun run(*fabric, workload, *command.loaded_system, options);
      // A run that is told to stop has more to tell its peers.
      fabric->rendezvous().heed(nullptr);
      try {
        workloads::RunResult result = run.run();
        return FaultyRun{.result = std::move(result), .died = deaths.dead()};
      } catch (const PeerMissing& end) {
        throw PeerMissing(deaths.text(command) + end.what());
      }
    });
  }
  const TemporaryDirectory saved;
  save_and_restore(command, saved.path(), "");
  Ended ended = run_to_its_end(command, workload, options, observer, deaths);
  if (ended.result && (!holds(*ended.result) || ended.result->stopped)) {
    return {.result = *std::move(ended.result), .died = deaths.dead()};
  }
  save_and_restore(command, "", saved.path());
  workloads::RunResult result = restored(command, workload, options, std::move(ended));
  return {.result = std::move(result), .died = deaths.dead()};
}

}  // namespace verbena::experiments
