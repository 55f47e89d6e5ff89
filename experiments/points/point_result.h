// What is kept of one measured point.
#pragma once

#include <limits>
#include <map>
#include <string>

namespace verbena::experiments {

/// What is kept of one phase of a run's transactions; NaN where there is nothing.
struct PhaseResult {
  double p50_us = std::numeric_limits<double>::quiet_NaN();
  double mean_us = std::numeric_limits<double>::quiet_NaN();
  double handler_ns = std::numeric_limits<double>::quiet_NaN();     ///< busy, per call
  double payload_bytes = std::numeric_limits<double>::quiet_NaN();  ///< request and reply
};

/// One finished point.
struct PointResult {
  std::string trace_digest;
  double throughput_per_s = 0;
  double wall_seconds = 0;  ///< that measuring it took
  double nodes = 0;
  double attempts = 0;  ///< committed and aborted
  double aborted = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0, p999_us = 0, mean_us = 0;
  std::map<std::string, PhaseResult> phases;  ///< of run, by the system's names
  std::string document;                       ///< the whole, as it was written (docs/running.md)
};

/// Reads the text of a result document (docs/running.md). Throws std::runtime_error when it is
/// none.
PointResult parse_point_result(const std::string& json_text);

}  // namespace verbena::experiments
