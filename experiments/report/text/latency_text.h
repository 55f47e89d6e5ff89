// Latencies of a measurement as rows of a table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Heads of the columns.
std::string latency_heads();

/// Formats percentiles, mean and maximum, in microseconds, of times other than `latency`; "-" for
/// percentiles that are withheld (percentile_of).
std::string latency_cells(const Histogram& times, const Measurement& measurement);

/// Rows for a measurement's `latency`, label and cells: the values; their 95 % intervals, where
/// known, by half the widths, or by both ends where one is not in the middle; and the values
/// corrected for what was in flight, where that changes them by more than the intervals.
std::vector<std::pair<std::string, std::string>> latency_rows(const Measurement& measurement);

}  // namespace verbena::experiments
