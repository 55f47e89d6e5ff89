// Measures points in processes of this program, except for points that are measured already.
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

/// Options for measuring points.
struct PointMeasuring {
  PoolLimits limits;
  /// The program, if points are to be measured by forked copies of this process, without a limit on
  /// memory. Empty: each point has a process of its own. So does a point with a platform file in
  /// any case, since SimGrid keeps state of its links from one simulation to the next.
  Program program = {};
  bool fresh = false;          ///< measures all points, also those with results
  Shard shard = {};            ///< the part of all points, dealt out by cost, that is measured
  bool tell_progress = false;  ///< even when standard error is no terminal
  std::string name = {};       ///< shown before the number of points in progress
  /// Estimates the memory of a point; empty: memory is no limit.
  std::function<std::uint64_t(const MeasuringCommand&)> memory_bytes = {};
  std::uint64_t available_bytes = 0;  ///< memory for all points at once; 0: unknown
};

/// A point without a result.
struct FailedPoint {
  std::string text;  ///< "COMMAND LINE: why"
  int code = 0;      ///< its exit code; -1 when a signal killed it
};

/// Results of all points.
struct MeasuredPoints {
  /// In the order of the points. Nothing for a point that failed or that a signal prevented.
  std::vector<std::optional<PointResult>> results;
  std::size_t different = 0;  ///< number of different points, without missing ones
  std::size_t reused = 0;     ///< number of these with earlier results
  std::size_t finished = 0;   ///< number of these that were measured now
  std::vector<FailedPoint> failures;
  int signal = 0;  ///< signal that interrupted the measuring; 0: none
  Shard shard = {};
  /// Command lines of points that other shards measure and that have no results here.
  std::set<std::string> missing = {};

  /// Text such as "2/3: 8 of 12 points are missing, which other shards measure"; empty for a whole.
  std::string shard_text() const;
};

/// Measures each of `points`, equal settings only once, and shows progress on a terminal. The
/// results depend neither on the number of points at once nor on their order. Points are dealt out
/// to shards in turn, the most costly first. Throws ConfigurationError when there are fewer points
/// than shards.
MeasuredPoints measure_points(const std::vector<const MeasuringCommand*>& points,
                              const PointMeasuring& how, const PointStore& store,
                              const ProcessPool& pool);

}  // namespace verbena::experiments
