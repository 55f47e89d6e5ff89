// The evidence, weighed.
#include "experiments/report/text/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/keys/units.h"
#include "experiments/report/text/busy_text.h"
#include "experiments/report/text/outage_text.h"
#include "rdma/seam/work.h"

namespace verbena::experiments {
namespace {

using rdma::Activity;
using workloads::CoresUse;
using workloads::StationsUse;

constexpr const char* kCores = "worker cores";
constexpr const char* kPorts = "ports";
constexpr const char* kLinks = "links";
constexpr const char* kOrders = "queue pair orders";
constexpr const char* kOutage = "outage";

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

// Mean latency of all that ended as they were to, committed or rolled back.
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
  double busy;                     ///< share, mean of those that are saturated
  double held;                     ///< operations that are there
  const StationsUse* stations;     ///< null: `cores`
  const CoresUse* cores;           ///< of the same nodes
  const workloads::RoleUse* role;  ///< whose it is; null where nodes are alike, and for links
};

/// All cores, or all stations, among which candidates are.
struct Resources {
  const CoresUse& cores;
  const std::vector<StationsUse>& stations;
  const workloads::RoleUse* role = nullptr;
};

// Each core of a computing node has operations of its own; of what others serve they have a part
// only when they are there.
bool has_good_part(const Resources& resources, double enough) {
  const CoresUse& cores = resources.cores;
  if (resources.role != nullptr &&
      (resources.role->role == txn::Role::kMemory || resources.role->role == txn::Role::kOracle)) {
    return cores.completions + cores.saturated >= enough;
  }
  return cores.saturated >= kGoodPart * cores.count || cores.completions >= enough;
}

bool has_good_part(const StationsUse& kind, const CoresUse& cores, double enough) {
  // Cores wait for locks, with all that they have in flight.
  if (is_lock(kind)) {
    return cores.shares[static_cast<std::size_t>(Activity::kLocks)] >= kGoodPart;
  }
  return kind.at_saturated >= enough || kind.saturated_mean >= kFull;
}

void add_cores(const Resources& resources, double enough, std::vector<Candidate>& all) {
  const CoresUse& cores = resources.cores;
  if (cores.saturated == 0 || !has_good_part(resources, enough)) return;
  all.push_back({.busy = cores.saturated_mean,
                 .held = cores.completions + cores.saturated,
                 .stations = nullptr,
                 .cores = &cores,
                 .role = resources.role});
}

void add_stations(const Resources& resources, const StationsUse& kind, double enough,
                  std::vector<Candidate>& all) {
  if (kind.saturated == 0 || !has_good_part(kind, resources.cores, enough)) return;
  all.push_back({.busy = kind.saturated_mean,
                 .held = kind.at_saturated,
                 .stations = &kind,
                 .cores = &resources.cores,
                 .role = resources.role});
}

std::vector<Candidate> candidates(const Measurement& measurement) {
  const workloads::Utilization& use = measurement.utilization;
  const double enough = kGoodPart * operations_in_flight(measurement);
  std::vector<Candidate> all;
  for (const workloads::RoleUse& role : use.roles) {
    const Resources own{.cores = role.cores, .stations = role.stations, .role = &role};
    add_cores(own, enough, all);
    for (const StationsUse& kind : own.stations) add_stations(own, kind, enough, all);
  }
  const Resources whole{.cores = use.cores, .stations = use.stations, .role = nullptr};
  if (use.roles.empty()) add_cores(whole, enough, all);
  for (const StationsUse& kind : whole.stations) {
    if (use.roles.empty() || kind.kind == kLinks) add_stations(whole, kind, enough, all);
  }
  return all;
}

bool is_order(const Candidate& candidate) {
  return candidate.stations != nullptr && candidate.stations->kind == kOrders;
}

bool worse(const Candidate& a, const Candidate& b) {
  // Requests wait for those before them whatever keeps these.
  if (is_order(a) != is_order(b)) return is_order(b);
  if (std::abs(a.busy - b.busy) > kAlike) return a.busy > b.busy;
  // A cable that is as fast as the port before it is busy because the port is.
  if (a.stations != nullptr && b.stations != nullptr) {
    if (a.stations->kind == kPorts && b.stations->kind == kLinks) return true;
    if (a.stations->kind == kLinks && b.stations->kind == kPorts) return false;
  }
  return a.held > b.held;
}

// "all 48", "12 of 48".
std::string how_many(std::uint32_t some, std::uint32_t all) {
  return some == all ? fmt::format("all {}", all) : fmt::format("{} of {}", some, all);
}

// "ports", "ports of memory servers".
std::string name_of(const std::string& resource, const workloads::RoleUse* role) {
  return role == nullptr ? resource : resource + " of " + nodes_text(*role);
}

Bound bound_by(const Candidate& candidate, const std::string& resource, std::string text,
               const std::string& busiest) {
  if (candidate.role == nullptr) return {.by = resource, .text = std::move(text)};
  return {.by = resource,
          .text = std::move(text),
          .role = txn::role_name(candidate.role->role),
          .busiest = busiest};
}

// Share of their time that cores wait for lines that other cores have changed, if it is worth
// telling.
std::string sharing_text(const CoresUse& cores) {
  constexpr double kWorthTelling = 0.2;
  const double share = cores.shares[static_cast<std::size_t>(Activity::kSharing)];
  if (share <= kWorthTelling) return "";
  return fmt::format("; {:.1f} % of it for cache lines that other cores have changed",
                     percent(share));
}

Bound bound_by_cores(const Candidate& candidate) {
  const CoresUse& cores = *candidate.cores;
  const std::string name = name_of(kCores, candidate.role);
  if (candidate.role != nullptr && cores.count == 1) {
    return bound_by(candidate, kCores,
                    fmt::format("{}: that of {} works {:.1f} % of the time{}", name, cores.busiest,
                                percent(cores.most), sharing_text(cores)),
                    cores.busiest);
  }
  return bound_by(
      candidate, kCores,
      fmt::format("{}: {} work {:.1f} % of the time (the busiest is {}, {:.1f} %){}", name,
                  how_many(cores.saturated, cores.count), percent(cores.saturated_mean),
                  cores.busiest, percent(cores.most), sharing_text(cores)),
      cores.busiest);
}

std::string saturated_text(const Candidate& candidate) {
  const StationsUse& kind = *candidate.stations;
  const std::string name = name_of(kind.kind, candidate.role);
  if (kind.saturated > 1) {
    return fmt::format("{}: {} are {:.1f} % busy (the busiest is {}, {:.1f} %)", name,
                       how_many(kind.saturated, kind.count), percent(kind.saturated_mean),
                       kind.busiest, percent(kind.most));
  }
  std::string text =
      fmt::format("{}: that of {} is {:.1f} % busy", name, kind.busiest, percent(kind.most));
  if (kind.count > 1) {
    text += fmt::format(", the mean of all {} {:.1f} %", kind.count, percent(kind.mean));
  }
  return text;
}

// Requests of NICs are counted there, and operations everywhere: each of these may have several
// requests under way at once.
std::string held_text(double requests, double operations) {
  return fmt::format(
      "; {:.1f} verbs, replies and acknowledgements are served or wait there on average, {:.2f} "
      "for "
      "each of the {:.1f} operations in flight",
      requests, operations > 0 ? requests / operations : 0, operations);
}

Bound bound_by_stations(const Candidate& candidate, const Measurement& measurement) {
  const StationsUse& kind = *candidate.stations;
  std::string text = saturated_text(candidate);
  text += is_lock(kind)
              ? fmt::format(
                    "; cores spend {:.1f} % of their time there",
                    percent(candidate.cores->shares[static_cast<std::size_t>(Activity::kLocks)]))
              : held_text(candidate.held, operations_in_flight(measurement));
  constexpr double kWorthTelling = 0.2;
  if (kind.for_miss > kWorthTelling) {
    text += fmt::format(
        "; {:.0f} % of that is for misses in NICs' caches (of queue pairs {:.1f} % of look-ups)",
        percent(kind.for_miss), percent(queue_pair_miss_share(measurement)));
  }
  return bound_by(candidate, kind.kind, std::move(text), kind.busiest);
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
  return {.by = "conflicts",
          .text = fmt::format(
              "conflicts: {:.1f} % of transactions' time goes to attempts that abort and "
              "to waiting after them, {:.2f} a commit, most by {}",
              percent(retried_share(measurement)),
              static_cast<double>(all) /
                  static_cast<double>(std::max<std::uint64_t>(1, measurement.committed)),
              most->first)};
}

// The busiest kind of stations, of the role whose are busiest; empty where there is none.
std::string busiest_text(const workloads::Utilization& use) {
  const StationsUse* busiest = nullptr;
  const workloads::RoleUse* whose = nullptr;
  for (const StationsUse& kind : use.stations) {
    if (busiest == nullptr || kind.most > busiest->most) busiest = &kind;
  }
  if (busiest == nullptr) return "";
  for (const workloads::RoleUse& role : use.roles) {
    for (const StationsUse& kind : role.stations) {
      if (kind.kind == busiest->kind && kind.most == busiest->most) whose = &role;
    }
  }
  return fmt::format(", {} at most {:.1f} %", name_of(busiest->kind, whose),
                     percent(busiest->most));
}

Bound bound_by_latency(const Measurement& measurement) {
  const workloads::Utilization& use = measurement.utilization;
  return {
      .by = "latency",
      .text = fmt::format("latency: nothing where operations wait is saturated; {:.1f} "
                          "operations in flight take {:.2f} us each, {}{}: more in flight "
                          "would do more",
                          operations_in_flight(measurement), mean_latency_ns(measurement) / 1000,
                          cores_work_text(use), busiest_text(use))};
}

Bound bound_by_outage(const Measurement& measurement) {
  return {.by = kOutage,
          .text = "outage: " + links_down_text(measurement),
          .busiest = measurement.utilization.links_down.front().link};
}

Bound bound_by_what_works(const Measurement& measurement) {
  if (is_offered_rate_bound(measurement)) {
    return {.by = "offered rate",
            .text = fmt::format("offered rate: of {}txn/s that are due {}txn/s end, and {}",
                                format_scaled(measurement.offered_per_s),
                                format_scaled(ended_per_s(measurement)),
                                cores_work_text(measurement.utilization))};
  }
  if (retried_share(measurement) >= kMostlyRetries) return bound_by_conflicts(measurement);
  const std::vector<Candidate> saturated = candidates(measurement);
  if (saturated.empty()) {
    return is_disturbed_by_outage(measurement) ? bound_by_outage(measurement)
                                               : bound_by_latency(measurement);
  }
  const Candidate* worst = &saturated.front();
  for (const Candidate& next : saturated) {
    if (worse(next, *worst)) worst = &next;
  }
  return worst->stations == nullptr ? bound_by_cores(*worst)
                                    : bound_by_stations(*worst, measurement);
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
  const workloads::Utilization& use = measurement.utilization;
  if (use.empty() || measurement.committed == 0) {
    if (!is_disturbed_by_outage(measurement)) return {};
    return bound_by_outage(measurement);
  }
  Bound bound = bound_by_what_works(measurement);
  if (bound.by != kOutage && any_link_down(measurement)) {
    bound.text += "; " + links_down_text(measurement);
  }
  return bound;
}

}  // namespace verbena::experiments
