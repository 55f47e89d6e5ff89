// Differences of what stations and cores did, and their means.
#include "workloads/run/resources/utilization.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace verbena::workloads {
namespace {

using rdma::Activity;

double share(Picoseconds part, Picoseconds all) {
  return all == 0 ? 0 : static_cast<double>(part.count()) / static_cast<double>(all.count());
}

bool is_work(std::size_t activity) {
  return activity != static_cast<std::size_t>(Activity::kEmptyPolls) &&
         activity != static_cast<std::size_t>(Activity::kLocks);
}

/// The station of `begin` that `end` is, or nothing: stations are in the same order, and new ones
/// lie between. `place` goes on from call to call.
const rdma::StationUse* same(const std::vector<rdma::StationUse>& begin, std::size_t& place,
                             const rdma::StationUse& end) {
  const auto order = [](const rdma::StationUse& station) {
    return std::tuple(station.kind, station.number);
  };
  while (place < begin.size() && order(begin[place]) < order(end)) ++place;
  return place < begin.size() && order(begin[place]) == order(end) ? &begin[place] : nullptr;
}

// Work of each station of `end` since `begin`.
std::vector<rdma::StationUse> difference(const rdma::FabricUse& begin, const rdma::FabricUse& end) {
  std::vector<rdma::StationUse> stations = end.stations;
  std::size_t place = 0;
  for (rdma::StationUse& station : stations) {
    if (const rdma::StationUse* before = same(begin.stations, place, station)) {
      station.busy -= before->busy;
      station.waited -= before->waited;
      station.for_miss -= before->for_miss;
    }
  }
  return stations;
}

/// Adds up what stations did in an interval of length `time`, by kind.
class StationsSum {
 public:
  StationsSum(const std::vector<const char*>& names, Picoseconds time)
      : names_(names), time_(time), kinds_(names.size()), busiest_(names.size()) {}

  void add(const rdma::StationUse& station) {
    StationsUse& kind = kinds_[station.kind];
    const double busy = share(station.busy, time_);
    const double waiting = share(station.waited, time_);
    ++kind.count;
    kind.mean += busy;
    kind.waiting += waiting;
    kind.for_miss += share(station.for_miss, time_);
    if (busy > kind.most) {
      kind.most = busy;
      busiest_[station.kind] = station;
    }
    if (busy < kSaturated) return;
    ++kind.saturated;
    kind.saturated_mean += busy;
    kind.at_saturated += busy + waiting;
  }

  /// Kinds that did something.
  std::vector<StationsUse> uses(const rdma::Fabric& fabric) && {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      StationsUse& kind = kinds_[i];
      if (!busiest_[i]) continue;
      kind.kind = names_[i];
      kind.busiest = fabric.place_of(*busiest_[i]);
      kind.for_miss = std::min(1.0, kind.for_miss / kind.mean);
      kind.mean /= kind.count;
      if (kind.saturated > 0) kind.saturated_mean /= kind.saturated;
    }
    std::erase_if(kinds_, [](const StationsUse& kind) { return kind.kind.empty(); });
    return std::move(kinds_);
  }

 private:
  const std::vector<const char*>& names_;
  const Picoseconds time_;
  std::vector<StationsUse> kinds_;
  std::vector<std::optional<rdma::StationUse>> busiest_;
};

// Use of the cores for which `counts` holds.
template <typename Counts>
CoresUse cores_between(const std::vector<rdma::CoreUse>& begin,
                       const std::vector<rdma::CoreUse>& end, Counts&& counts) {
  CoresUse all;
  all.count = static_cast<std::uint32_t>(std::ranges::count_if(end, counts));
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (!counts(end[i])) continue;
    const Picoseconds time = end[i].clock - begin[i].clock;
    double work = 0;
    double other = 0;
    for (std::size_t activity = 0; activity < rdma::kActivities; ++activity) {
      const double part = share(end[i].spent[activity] - begin[i].spent[activity], time);
      all.shares[activity] += part / all.count;
      (is_work(activity) ? work : other) += part;
    }
    all.waiting += std::max(0.0, 1 - work - other) / all.count;
    all.completions += share(end[i].waited - begin[i].waited, time);
    all.mean += work / all.count;
    if (work > all.most) {
      all.most = work;
      all.busiest =
          "node " + std::to_string(end[i].node) + ", worker " + std::to_string(end[i].worker);
    }
    if (work < kSaturated) continue;
    ++all.saturated;
    all.saturated_mean += work;
  }
  if (all.saturated > 0) all.saturated_mean /= all.saturated;
  return all;
}

/// An interval, by what stations and cores tell at its two ends.
struct Interval {
  const rdma::Fabric& fabric;
  const rdma::FabricUse& begin;
  const rdma::FabricUse& end;
  std::vector<rdma::StationUse> stations;  ///< differences
};

RoleUse role_use(const Interval& interval, std::span<const txn::Role> roles, txn::Role role) {
  StationsSum sum(interval.end.kinds, interval.end.time - interval.begin.time);
  for (const rdma::StationUse& station : interval.stations) {
    const std::optional<NodeId> node = interval.fabric.node_of(station);
    if (node && roles[*node] == role) sum.add(station);
  }
  const auto has_role = [&](const rdma::CoreUse& core) { return roles[core.node] == role; };
  return {.role = role,
          .nodes = static_cast<std::uint32_t>(std::ranges::count(roles, role)),
          .stations = std::move(sum).uses(interval.fabric),
          .cores = cores_between(interval.begin.cores, interval.end.cores, has_role)};
}

std::vector<RoleUse> role_uses(const Interval& interval, std::span<const txn::Role> roles) {
  std::vector<txn::Role> there(roles.begin(), roles.end());
  std::ranges::sort(there);
  there.erase(std::unique(there.begin(), there.end()), there.end());
  if (there.size() < 2) return {};
  std::vector<RoleUse> uses;
  uses.reserve(there.size());
  for (const txn::Role role : there) uses.push_back(role_use(interval, roles, role));
  return uses;
}

}  // namespace

std::vector<txn::Role> roles_of(const txn::View& view) {
  std::vector<txn::Role> roles;
  roles.reserve(view.nodes());
  for (std::uint32_t n = 0; n < view.nodes(); ++n) {
    roles.push_back(view.role(static_cast<NodeId>(n)));
  }
  return roles;
}

std::vector<LinkDown> links_down(const rdma::FabricUse& begin, const rdma::FabricUse& end,
                                 Picoseconds until) {
  const Picoseconds over = std::min(until, end.time);
  std::map<std::string, LinkDown> by_name;
  for (const rdma::LinkOutage& outage : end.outages) {
    if (outage.from > over) continue;
    LinkDown& link = by_name[outage.link];
    if (link.times == 0) link = {.link = outage.link, .from = to_nanoseconds(outage.from)};
    ++link.times;
    link.until = outage.until ? std::optional(to_nanoseconds(*outage.until)) : std::nullopt;
    const Picoseconds within =
        std::min(outage.until.value_or(over), over) - std::max(outage.from, begin.time);
    if (within > 0) link.share += share(within, over - begin.time);
  }
  std::vector<LinkDown> links;
  links.reserve(by_name.size());
  for (auto& [name, link] : by_name) links.push_back(std::move(link));
  std::ranges::stable_sort(links, std::ranges::greater(), &LinkDown::share);
  return links;
}

Utilization utilization_between(const rdma::Fabric& fabric, const rdma::FabricUse& begin,
                                const rdma::FabricUse& end, std::span<const txn::Role> roles) {
  if (end.time <= begin.time || begin.cores.size() != end.cores.size()) {
    return {.links_down = links_down(begin, end, end.time)};
  }
  const Interval interval{
      .fabric = fabric, .begin = begin, .end = end, .stations = difference(begin, end)};
  StationsSum sum(end.kinds, end.time - begin.time);
  for (const rdma::StationUse& station : interval.stations) sum.add(station);
  const auto any = [](const rdma::CoreUse& /*core*/) { return true; };
  return {.stations = std::move(sum).uses(fabric),
          .cores = cores_between(begin.cores, end.cores, any),
          .roles = role_uses(interval, roles),
          .links_down = links_down(begin, end, end.time)};
}

}  // namespace verbena::workloads
