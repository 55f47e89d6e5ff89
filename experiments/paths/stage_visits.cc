// From visits to parts.
#include "experiments/paths/stage_visits.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace verbena::experiments {
namespace {

using simnic::Resource;
using simnic::Stage;
using simnic::Station;
using simnic::Visit;

bool has_queue(const Visit& visit) {
  return visit.resource != Resource::kNone && visit.resource != Resource::kCore &&
         visit.resource != Resource::kAtomicSlot;
}

}  // namespace

void StageVisits::begin(Stage stage, Picoseconds time) {
  stage_ = stage;
  begin_ = time;
  visits_.clear();
}

void StageVisits::on_core(NodeId node, WorkerId worker) {
  node_ = node;
  worker_ = worker;
}

Place StageVisits::place_of(const Visit& visit, const Viewpoint& from) const {
  if (visit.resource == Resource::kCore) return from.core(node_, worker_);
  const bool on_the_way = visit.resource == Resource::kLink || visit.station == Station::kLink ||
                          visit.station == Station::kWire;
  return on_the_way ? Place::kNetwork : from.nic(visit.number);
}

// For what the request waited, which was all of `wait`. Some queues it enters without waiting.
const Visit* StageVisits::queued_longest(Picoseconds wait) const {
  const Visit* longest = nullptr;
  for (const Visit& visit : visits_) {
    if (!has_queue(visit)) continue;
    if (visit.begin - begin_ == wait) return wait == 0 ? nullptr : &visit;
    if (longest == nullptr || visit.begin > longest->begin) longest = &visit;
  }
  return wait == 0 ? nullptr : longest;
}

void StageVisits::append_to(Way& way, const Viewpoint& from, std::uint32_t ordering,
                            Picoseconds wait, Picoseconds time) const {
  Picoseconds reached = begin_;
  const auto go_on = [&](Part part, Picoseconds for_time) {
    reached = std::min(time, reached + for_time);
    way.go_on(part, reached);
  };
  if (const Visit* queued = queued_longest(wait); queued != nullptr) {
    go_on(Part::of(place_of(*queued, from), queued->resource), wait);
  }
  // A station may be met more than once, and give back a part of its time.
  std::vector<std::pair<Part, Picoseconds>> stations;
  for (const Visit& visit : visits_) {
    if (visit.latency == 0) continue;
    const Part part = Part::of(place_of(visit, from), visit.station);
    const auto known = std::find_if(stations.begin(), stations.end(),
                                    [&](const auto& other) { return other.first == part; });
    if (known == stations.end()) {
      stations.emplace_back(part, visit.latency);
    } else {
      known->second += visit.latency;
    }
  }
  for (const auto& [part, latency] : stations) go_on(part, latency);
  way.go_on(Part::of(from.nic(ordering), Delay::kOrder), time);
}

}  // namespace verbena::experiments
