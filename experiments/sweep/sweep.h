// A series of measurements by one command line, and what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/points/measure_points.h"

namespace verbena::experiments {

/// Measurements, and how they are shown.
struct Sweep {
  ConfigurationRecord record;  ///< of the whole
  std::string configuration;   ///< one line for people
  SeriesOptions options;
  std::uint64_t seed = 1;
  std::vector<MeasuringCommand> points;  ///< repetitions of one after another

  bool transactions() const { return record.command == Command::kRun; }

  /// "bench read over nodes and payload".
  std::string title() const;
};

/// Sweep of a run or bench with measurements (see RunCommand), or with the single one that it is.
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

/// Runs that differ in their seeds only.
struct SweepPlace {
  Values values;                               ///< what tells it from others
  std::vector<const PointResult*> runs = {};   ///< those that have a result
  std::vector<std::size_t> measurements = {};  ///< of all of its runs, by index
};

/// A sweep, measured.
struct MeasuredSweep {
  const Sweep* sweep = nullptr;
  MeasuredPoints points;
  double wall_seconds = 0;

  /// The places in the order of the measurements. Seeds tell them apart only where they are an
  /// axis.
  std::vector<SweepPlace> places() const;

  /// A digest of all digests, in the order of the measurements; 0 without results.
  std::uint64_t trace_digest() const;
};

}  // namespace verbena::experiments
