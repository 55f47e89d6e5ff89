// Differences of what stations and cores did, and their means.
#include "workloads/run/utilization.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

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

std::vector<StationsUse> stations_between(const rdma::Fabric& fabric, const rdma::FabricUse& begin,
                                          const rdma::FabricUse& end) {
  const Picoseconds time = end.time - begin.time;
  std::vector<StationsUse> kinds(end.kinds.size());
  std::vector<const rdma::StationUse*> busiest(kinds.size(), nullptr);
  std::size_t place = 0;
  for (const rdma::StationUse& station : end.stations) {
    rdma::StationUse of_interval = station;
    if (const rdma::StationUse* before = same(begin.stations, place, station)) {
      of_interval.busy -= before->busy;
      of_interval.waited -= before->waited;
      of_interval.for_miss -= before->for_miss;
    }
    StationsUse& kind = kinds[station.kind];
    const double busy = share(of_interval.busy, time);
    const double waiting = share(of_interval.waited, time);
    ++kind.count;
    kind.mean += busy;
    kind.waiting += waiting;
    kind.for_miss += share(of_interval.for_miss, time);
    if (busy > kind.most) {
      kind.most = busy;
      busiest[station.kind] = &station;
    }
    if (busy < kSaturated) continue;
    ++kind.saturated;
    kind.saturated_mean += busy;
    kind.at_saturated += busy + waiting;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    StationsUse& kind = kinds[i];
    if (busiest[i] == nullptr) continue;
    kind.kind = end.kinds[i];
    kind.busiest = fabric.place_of(*busiest[i]);
    kind.for_miss = std::min(1.0, kind.for_miss / kind.mean);
    kind.mean /= kind.count;
    if (kind.saturated > 0) kind.saturated_mean /= kind.saturated;
  }
  std::erase_if(kinds, [](const StationsUse& kind) { return kind.kind.empty(); });
  return kinds;
}

CoresUse cores_between(const std::vector<rdma::CoreUse>& begin,
                       const std::vector<rdma::CoreUse>& end) {
  CoresUse all;
  all.count = static_cast<std::uint32_t>(end.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
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

}  // namespace

Utilization utilization_between(const rdma::Fabric& fabric, const rdma::FabricUse& begin,
                                const rdma::FabricUse& end) {
  if (end.time <= begin.time || begin.cores.size() != end.cores.size()) return {};
  return {.stations = stations_between(fabric, begin, end),
          .cores = cores_between(begin.cores, end.cores)};
}

}  // namespace verbena::workloads
