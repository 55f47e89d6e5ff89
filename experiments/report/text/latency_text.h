// Latencies of a measurement as rows of a table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Names and heads of the columns.
std::string latency_heads();

/// Percentiles, mean and maximum of times that a measurement has beside its latencies, in
/// microseconds; "-" for percentiles that are withheld (percentile_of).
std::string latency_cells(const Histogram& times, const Measurement& measurement);

/// Rows of a measurement's `latency`, a label and cells each: the values themselves; half of the
/// widths of their 95 % intervals, where known; and, where what was in flight changes them by more
/// than that, what they are with it.
std::vector<std::pair<std::string, std::string>> latency_rows(const Measurement& measurement);

}  // namespace verbena::experiments
