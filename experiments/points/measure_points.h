// Measuring points in processes of this program, those that were not measured before.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/config/keys/shard.h"
#include "experiments/points/measuring_command.h"
#include "experiments/points/point_result.h"
#include "experiments/points/point_store.h"
#include "experiments/points/point_workers.h"
#include "experiments/points/process_pool.h"

namespace verbena::experiments {

/// How points are measured.
struct PointMeasuring {
  PoolLimits limits;
  /// The program: points are measured by copies of this process, one after another, and memory
  /// limits nothing. Where it is empty each has a process of its own; also where one has a platform
  /// file, since SimGrid keeps what happens to its links from one to the next.
  Program program = {};
  bool fresh = false;          ///< all, also those whose results are there
  Shard shard = {};            ///< only these, of all points by their cost, are measured
  bool tell_progress = false;  ///< even where standard error is no terminal
  std::string name = {};       ///< before the number of points, where progress is shown
  /// About what a point takes of memory; where it is empty that limits nothing.
  std::function<std::uint64_t(const MeasuringCommand&)> memory_bytes = {};
};

/// A point without a result.
struct FailedPoint {
  std::string text;  ///< "COMMAND LINE: why"
  int code = 0;      ///< its exit code; -1 when a signal killed it
};

/// Results of all points.
struct MeasuredPoints {
  /// In the order of the points; nothing where one failed, or was not measured for a signal.
  std::vector<std::optional<PointResult>> results;
  std::size_t different = 0;  ///< points, without those that are missing
  std::size_t reused = 0;     ///< of these, those whose results were there
  std::size_t finished = 0;   ///< of these, those that were measured now
  std::vector<FailedPoint> failures;
  int signal = 0;  ///< that interrupted it; 0: none
  Shard shard = {};
  /// Command lines of points that other shards measure and whose results are not there.
  std::set<std::string> missing = {};

  /// "2/3: 8 of 12 points are missing, which other shards measure"; empty where it is no shard.
  std::string shard_text() const;
};

/// Measures each of `points`, those with equal settings once, and shows progress on a terminal. The
/// results do not depend on how many run at once, nor on their order. Shards get points in turn,
/// the most costly first. Throws ConfigurationError when there are fewer points than shards.
MeasuredPoints measure_points(const std::vector<const MeasuringCommand*>& points,
                              const PointMeasuring& how, PointStore& store,
                              const ProcessPool& pool);

}  // namespace verbena::experiments
