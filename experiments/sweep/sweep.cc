// Grouping measurements by their places.
#include "experiments/sweep/sweep.h"

#include <algorithm>
#include <cstdlib>

#include "rdma/base/random.h"

namespace verbena::experiments {

std::string Sweep::title() const {
  std::string text = command_name(record.command);
  if (!record.operation.empty()) text += " " + record.operation;
  const char* before = " over ";
  for (const auto& entry : record.lists) text += std::exchange(before, " and ") + entry.first;
  return text;
}

std::vector<SweepPlace> MeasuredSweep::places() const {
  const bool seeds_are_axis = sweep->options.x == "seed" || sweep->options.curves == "seed";
  std::vector<SweepPlace> places;
  for (std::size_t i = 0; i < sweep->points.size(); ++i) {
    Values values = sweep->points[i].record().place;
    if (!seeds_are_axis) std::erase_if(values, [](const auto& v) { return v.first == "seed"; });
    auto place = std::find_if(places.begin(), places.end(),
                              [&](const SweepPlace& other) { return other.values == values; });
    if (place == places.end()) {
      place = places.insert(places.end(), {.values = std::move(values)});
    }
    place->measurements.push_back(i);
    if (points.results[i]) place->runs.push_back(&*points.results[i]);
  }
  return places;
}

std::uint64_t MeasuredSweep::trace_digest() const {
  std::uint64_t all = 0;
  for (const auto& result : points.results) {
    if (!result) continue;
    const std::uint64_t digest = std::strtoull(result->trace_digest.c_str(), nullptr, 16);
    all = all == 0 ? digest : mix64(all) ^ digest;
  }
  return all;
}

}  // namespace verbena::experiments
