// What figures show of a result.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "experiments/reproduce/expression.h"
#include "experiments/reproduce/figure.h"

namespace verbena::experiments {

/// What it keeps of one phase of a run's transactions; NaN where there is nothing.
struct PhaseResult {
  double p50_us = std::numeric_limits<double>::quiet_NaN();
  double mean_us = std::numeric_limits<double>::quiet_NaN();
  double handler_ns = std::numeric_limits<double>::quiet_NaN();     ///< busy, per call
  double payload_bytes = std::numeric_limits<double>::quiet_NaN();  ///< request and reply
};

/// What a figure keeps of one finished point.
struct PointResult {
  std::string trace_digest;
  double throughput_per_s = 0;
  double wall_seconds = 0;  ///< that measuring it took
  double nodes = 0;
  double attempts = 0;  ///< committed and aborted
  double aborted = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0, p999_us = 0, mean_us = 0;
  std::map<std::string, PhaseResult> phases;  ///< of run, by the system's names
};

/// Reads the text of a result document (docs/running.md). Throws std::runtime_error when it is
/// none.
PointResult parse_point_result(const std::string& json_text);

/// throughput, throughput_per_node, p50, p90, p99, p999, mean, abort_rate, and for each phase of
/// transactions PHASE_p50, PHASE_mean, PHASE_handler and PHASE_payload, e.g. log_p50.
std::vector<std::string> quantity_names();

/// "M/s", "us", "ns", "B" or "".
std::string quantity_unit(const std::string& quantity);

/// Throws ConfigurationError, with the nearest name, for a quantity that does not exist.
void check_quantity(const std::string& quantity);

/// The value in quantity_unit(); NaN when the result has none.
double quantity_of(const PointResult& result, const std::string& quantity);

/// The places of a series, without values. Throws ConfigurationError, with the nearest name, for a
/// series that does not exist.
Curve series_places(const Figure& figure, const std::string& series);

}  // namespace verbena::experiments
