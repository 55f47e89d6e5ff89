// The evidence, weighed.
#include "experiments/report/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "experiments/config/units.h"
#include "rdma/seam/work.h"

namespace verbena::experiments {
namespace {

using rdma::Activity;
using workloads::CoresUse;
using workloads::StationsUse;

constexpr const char* kCores = "worker cores";
constexpr const char* kPorts = "ports";
constexpr const char* kLinks = "links";

/// A saturated station bounds all operations only when so many of them are there: one core of
/// hundreds that happens to be busy does not.
constexpr double kGoodPart = 0.05;
/// Unless it never rests: then it is full of what queue pairs let out, and the others wait there.
constexpr double kFull = 0.95;
/// Closer to each other than this, utilizations do not tell which of two resources is the bound.
constexpr double kAlike = 0.05;
/// From this share of transactions' time in attempts that abort on, faster resources mostly abort
/// faster.
constexpr double kMostlyRetries = 0.5;

double percent(double share) { return 100 * share; }

// Transactions per second that ended as they were to: what is rolled back is not tried again.
double ended_per_s(const Measurement& measurement) {
  if (measurement.rolled_back == 0) return measurement.throughput_per_s;
  return measurement.throughput_per_s +
         static_cast<double>(measurement.rolled_back) / measurement.seconds;
}

// Of all that ended as they were to.
double mean_latency_ns(const Measurement& measurement) {
  const auto committed = static_cast<double>(measurement.latency.count());
  const double all = committed + static_cast<double>(measurement.rolled_back);
  if (all == 0) return 0;
  return (measurement.latency.mean() * committed +
          static_cast<double>(measurement.rolling_back.count())) /
         all;
}

// By Little's law; of an open loop without what has not begun, which is not in flight yet.
double operations_in_flight(const Measurement& measurement) {
  if (measurement.offered_per_s != 0) {
    return static_cast<double>(measurement.in_flight.count() - measurement.backlog);
  }
  return ended_per_s(measurement) * mean_latency_ns(measurement) / 1e9;
}

// Nothing that is due waits for what was due before.
bool is_offered_rate_bound(const Measurement& measurement) {
  constexpr double kNearly = 0.95;
  return measurement.offered_per_s != 0 && measurement.backlog == 0 &&
         ended_per_s(measurement) >= kNearly * measurement.offered_per_s;
}

double retried_share(const Measurement& measurement) {
  const double all = measurement.latency.mean() * static_cast<double>(measurement.latency.count());
  return all == 0 ? 0 : static_cast<double>(measurement.retrying.count()) / all;
}

bool is_lock(const StationsUse& kind) {
  return kind.kind == "doorbell locks" || kind.kind == "queue pair locks";
}

/// A resource that may be the bound.
struct Candidate {
  double busy;                  ///< share, mean of those that are saturated
  double held;                  ///< operations that are there
  const StationsUse* stations;  ///< null: cores
};

std::vector<Candidate> candidates(const Measurement& measurement) {
  const workloads::Utilization& use = measurement.utilization;
  const double enough = kGoodPart * operations_in_flight(measurement);
  std::vector<Candidate> all;
  const CoresUse& cores = use.cores;
  if (cores.saturated >= kGoodPart * cores.count || cores.completions >= enough) {
    if (cores.saturated > 0) {
      all.push_back({cores.saturated_mean, cores.completions + cores.saturated, nullptr});
    }
  }
  const double at_locks = cores.shares[static_cast<std::size_t>(Activity::kLocks)];
  for (const StationsUse& kind : use.stations) {
    // Cores wait for locks, with all that they have in flight.
    const bool much = is_lock(kind) ? at_locks >= kGoodPart
                                    : kind.at_saturated >= enough || kind.saturated_mean >= kFull;
    if (kind.saturated == 0 || !much) continue;
    all.push_back({kind.saturated_mean, kind.at_saturated, &kind});
  }
  return all;
}

bool worse(const Candidate& a, const Candidate& b) {
  if (std::abs(a.busy - b.busy) > kAlike) return a.busy > b.busy;
  // A cable that is as fast as the port before it is busy because the port is.
  if (a.stations != nullptr && b.stations != nullptr) {
    if (a.stations->kind == kPorts && b.stations->kind == kLinks) return true;
    if (a.stations->kind == kLinks && b.stations->kind == kPorts) return false;
  }
  return a.held > b.held;
}

std::string shares_text(const CoresUse& cores) {
  std::string text;
  for (std::size_t i = 0; i < rdma::kActivities; ++i) {
    if (cores.shares[i] < 0.0005) continue;
    text += fmt::format("{} {:.1f} %, ", activity_name(static_cast<Activity>(i)),
                        percent(cores.shares[i]));
  }
  return text + fmt::format("waiting {:.1f} %", percent(cores.waiting));
}

// "all 48", "12 of 48".
std::string how_many(std::uint32_t some, std::uint32_t all) {
  return some == all ? fmt::format("all {}", all) : fmt::format("{} of {}", some, all);
}

Bound bound_by_cores(const CoresUse& cores) {
  return {kCores, fmt::format("{}: {} work {:.1f} % of the time (the busiest is {}, {:.1f} %)",
                              kCores, how_many(cores.saturated, cores.count),
                              percent(cores.saturated_mean), cores.busiest, percent(cores.most))};
}

Bound bound_by_stations(const Candidate& candidate, const Measurement& measurement) {
  const StationsUse& kind = *candidate.stations;
  std::string text;
  if (kind.saturated == 1) {
    text =
        fmt::format("{}: that of {} is {:.1f} % busy", kind.kind, kind.busiest, percent(kind.most));
    if (kind.count > 1) {
      text += fmt::format(", the mean of all {} {:.1f} %", kind.count, percent(kind.mean));
    }
  } else {
    text = fmt::format("{}: {} are {:.1f} % busy (the busiest is {}, {:.1f} %)", kind.kind,
                       how_many(kind.saturated, kind.count), percent(kind.saturated_mean),
                       kind.busiest, percent(kind.most));
  }
  const CoresUse& cores = measurement.utilization.cores;
  text +=
      is_lock(kind)
          ? fmt::format("; cores spend {:.1f} % of their time there",
                        percent(cores.shares[static_cast<std::size_t>(Activity::kLocks)]))
          : fmt::format("; {:.1f} requests are there on average, with {:.1f} operations in flight",
                        candidate.held, operations_in_flight(measurement));
  constexpr double kWorthTelling = 0.2;
  if (kind.for_miss > kWorthTelling) {
    text += fmt::format(
        "; {:.0f} % of that is for misses in NICs' caches (of queue pairs {:.1f} % of look-ups)",
        percent(kind.for_miss), percent(queue_pair_miss_share(measurement)));
  }
  return {kind.kind, text};
}

// Attempts that conflicts ended, by cause; what its own transaction rolls back is none.
std::map<std::string, std::uint64_t> conflicts_of(const Measurement& measurement) {
  std::map<std::string, std::uint64_t> conflicts = measurement.aborted;
  conflicts.erase("rolled_back");
  return conflicts;
}

Bound bound_by_conflicts(const Measurement& measurement) {
  const std::map<std::string, std::uint64_t> conflicts = conflicts_of(measurement);
  const auto most = std::ranges::max_element(conflicts, {}, [](const auto& c) { return c.second; });
  std::uint64_t all = 0;
  for (const auto& cause : conflicts) all += cause.second;
  return {"conflicts",
          fmt::format("conflicts: {:.1f} % of transactions' time goes to attempts that abort and "
                      "to waiting after them, {:.2f} a commit, most by {}",
                      percent(retried_share(measurement)),
                      static_cast<double>(all) /
                          static_cast<double>(std::max<std::uint64_t>(1, measurement.committed)),
                      most->first)};
}

Bound bound_by_latency(const Measurement& measurement) {
  const CoresUse& cores = measurement.utilization.cores;
  const std::vector<StationsUse>& stations = measurement.utilization.stations;
  const auto busiest =
      std::max_element(stations.begin(), stations.end(),
                       [](const auto& a, const auto& b) { return a.most < b.most; });
  std::string text = fmt::format(
      "latency: nothing where operations wait is saturated; {:.1f} operations in flight take "
      "{:.2f} us each, cores work "
      "{:.1f} % of the time (the busiest {:.1f} %)",
      operations_in_flight(measurement), mean_latency_ns(measurement) / 1000, percent(cores.mean),
      percent(cores.most));
  if (busiest != stations.end()) {
    text += fmt::format(", {} at most {:.1f} %", busiest->kind, percent(busiest->most));
  }
  return {"latency", text + ": more in flight would do more"};
}

}  // namespace

double queue_pair_miss_share(const Measurement& measurement) {
  const auto counted = [&](const char* name) {
    const auto found = measurement.nic_counters.find(name);
    return found == measurement.nic_counters.end() ? 0.0 : static_cast<double>(found->second);
  };
  const double misses = counted("qp_cache_misses");
  return misses == 0 ? 0 : misses / (misses + counted("qp_cache_hits"));
}

std::optional<Bound> bound_of(const Measurement& measurement) {
  if (measurement.utilization.empty() || measurement.committed == 0) return {};
  if (is_offered_rate_bound(measurement)) {
    return Bound{"offered rate",
                 fmt::format("offered rate: of {}txn/s that are due {}txn/s end, and cores work "
                             "{:.1f} % of the time (the busiest {:.1f} %)",
                             format_scaled(measurement.offered_per_s),
                             format_scaled(ended_per_s(measurement)),
                             percent(measurement.utilization.cores.mean),
                             percent(measurement.utilization.cores.most))};
  }
  if (retried_share(measurement) >= kMostlyRetries) return bound_by_conflicts(measurement);
  const std::vector<Candidate> saturated = candidates(measurement);
  if (saturated.empty()) return bound_by_latency(measurement);
  const Candidate* worst = &saturated.front();
  for (const Candidate& next : saturated) {
    if (worse(next, *worst)) worst = &next;
  }
  return worst->stations == nullptr ? bound_by_cores(measurement.utilization.cores)
                                    : bound_by_stations(*worst, measurement);
}

std::string busy_text(const Measurement& measurement) {
  const workloads::Utilization& use = measurement.utilization;
  std::string text =
      fmt::format("{} {:.0f}/{:.0f} %", kCores, percent(use.cores.mean), percent(use.cores.most));
  constexpr double kWorthTelling = 0.005;
  for (const StationsUse& kind : use.stations) {
    if (kind.most < kWorthTelling) continue;
    text += fmt::format(", {} {:.0f}/{:.0f} %", kind.kind, percent(kind.mean), percent(kind.most));
  }
  return text + " (mean/most)";
}

std::string core_time_text(const Measurement& measurement) {
  return shares_text(measurement.utilization.cores);
}

}  // namespace verbena::experiments
