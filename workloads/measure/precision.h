// Precision of what a run measured: how far it can be trusted.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/time.h"
#include "workloads/measure/estimate.h"
#include "workloads/measure/interval_series.h"

namespace verbena::workloads {

/// How a mean came about.
enum class Course : std::uint8_t {
  kSteady,     ///< as far as the series can tell
  kBeginning,  ///< its beginning does not belong to the rest, and changes it
  kChanging,   ///< it varies too slowly for so short a series, or does not come to rest
};

/// A mean over a series, and what to think of it.
struct JudgedMean {
  Estimate estimate;
  Course course = Course::kSteady;
  Nanoseconds beginning = 0;  ///< of kBeginning: what has to be left out
};

/// Throughput that comes and goes: high for some time, and below half of that for longer.
struct Bursts {
  std::uint32_t count = 0;  ///< in `time`; 0: it does not come in bursts
  Nanoseconds time = 0;     ///< the series, its beginning left aside
  Nanoseconds lasting = 0;  ///< of that, the bursts together
  double height = 0;        ///< throughput in them, of the mean
};

/// Means of a series, and their precision: nothing where there is too little to say.
struct Precision {
  std::optional<JudgedMean> throughput_per_s = {};
  std::optional<JudgedMean> mean_latency_ns = {};
  std::optional<JudgedMean> abort_share = {};  ///< of what ended, as commit or as abort
  /// Time in which throughput was below half of its median, the beginning left aside: an outage.
  Nanoseconds stalled = 0;
  /// Where it went below and above that so often, and for so long, that it is no outage.
  Bursts bursts = {};
};

Precision precision_of(const IntervalSeries& series);

/// True if throughput and mean latency are steady and half of their intervals is at most
/// `half_width` of the mean; and that of the aborts' share at most `half_width` itself.
bool is_precise(const Precision& precision, double half_width);

}  // namespace verbena::workloads
