// A series of measurements by one command line, and its results.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/points/measure_points.h"

namespace verbena::experiments {

/// Measurements, and options for showing them.
struct Sweep {
  ConfigurationRecord record;  ///< of the whole series
  std::string configuration;   ///< one line for people
  SeriesOptions options;
  std::uint64_t seed = 1;
  std::vector<MeasuringCommand> points;  ///< repetitions of a point are adjacent

  bool transactions() const { return record.command == Command::kRun; }

  /// Title such as "bench read over nodes and payload".
  std::string title() const;
};

/// Makes the sweep of a run or bench: of its measurements (see RunCommand), or of itself if it has
/// none.
template <typename AnyOf>
Sweep sweep_of(const AnyOf& whole, const std::string& configuration) {
  Sweep sweep{.record = whole.record,
              .configuration = configuration,
              .options = whole.series,
              .seed = whole.cluster.seed,
              .points = {}};
  if (whole.measurements.empty()) sweep.points.emplace_back(AnyCommand(whole));
  for (const AnyOf& each : whole.measurements) sweep.points.emplace_back(AnyCommand(each));
  return sweep;
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// Runs that differ only in their seeds.
struct SweepPlace {
  Values values;                               ///< values that distinguish it from other places
  std::vector<const PointResult*> runs = {};   ///< runs with a result
  std::vector<std::size_t> measurements = {};  ///< indexes of all its runs
};

/// A sweep with its results.
struct MeasuredSweep {
  const Sweep* sweep = nullptr;
  MeasuredPoints points;
  double wall_seconds = 0;

  /// Places in the order of the measurements. Seeds distinguish them only where they are an axis.
  std::vector<SweepPlace> places() const;

  /// A digest of all results' digests, in the order of the measurements; 0 without results.
  std::uint64_t trace_digest() const;
};

}  // namespace verbena::experiments
