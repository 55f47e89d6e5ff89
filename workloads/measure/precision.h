// Precision of a run's means.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/time.h"
#include "workloads/measure/estimate.h"
#include "workloads/measure/interval_series.h"

namespace verbena::workloads {

/// Course of a mean over time.
enum class Course : std::uint8_t {
  kSteady,     ///< steady, as far as the series can tell
  kBeginning,  ///< the beginning differs from the rest and changes the mean
  kChanging,   ///< varies too slowly for the series' length, or does not come to rest
};

/// Way in which a mean does not settle within its series.
enum class Drift : std::uint8_t {
  kNone,    ///< settles, or no way is seen
  kRises,   ///< each quarter is higher than the one before
  kFalls,   ///< each quarter is lower than the one before
  kSwings,  ///< neither, and neighbours are alike
};

/// A mean over a series, and its course.
struct JudgedMean {
  Estimate estimate;
  Course course = Course::kSteady;
  Nanoseconds beginning = 0;   ///< of kBeginning: the time after which the rest agrees
  Drift drift = Drift::kNone;  ///< of kChanging; of kBeginning: the halves of the rest differ

  bool comes_to_rest() const { return course != Course::kChanging && drift == Drift::kNone; }
  /// Returns the beginning that a longer warm-up would leave out; 0 where that is no remedy.
  Nanoseconds remedy() const { return comes_to_rest() ? beginning : Nanoseconds(0); }
};

/// Bursts of throughput: high for some time, and below half of that for longer.
struct Bursts {
  std::uint32_t count = 0;  ///< number in `time`; 0: no bursts
  Nanoseconds time = 0;     ///< length of the series without its beginning
  Nanoseconds lasting = 0;  ///< total length of the bursts
  double height = 0;        ///< throughput within them, relative to the mean
};

/// Means of a series, and their precision; nothing where there is too little data.
struct Precision {
  std::optional<JudgedMean> throughput_per_s = {};
  std::optional<JudgedMean> mean_latency_ns = {};
  std::optional<JudgedMean> abort_share = {};  ///< of all attempts that ended
  /// Total time of outages: throughput below half of its median, without the beginning.
  Nanoseconds stalled = 0;
  /// Bursts, where throughput fell and rose too often and for too long for outages.
  Bursts bursts = {};
};

Precision precision_of(const IntervalSeries& series);

/// True if throughput and mean latency are steady and half their intervals is at most `half_width`
/// of the mean, and half the interval of the aborts' share is at most `half_width` itself.
bool is_precise(const Precision& precision, double half_width);

}  // namespace verbena::workloads
