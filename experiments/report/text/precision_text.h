// A run's precision, course over time and unfinished transactions, for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Formats three significant digits: "3.54 ms".
std::string time_text(Nanoseconds time);

/// Formats half the widths of 95 % intervals: "throughput +-0.3 %, mean latency +-0.4 %, aborts
/// 0.46 +-0.02 % (95 %)"; "unknown" for one as large as the mean. Without intervals, tells why.
std::string precision_text(const workloads::Precision& precision);

/// Reason for the end of a run that was to go on until it was precise: "precision", "max-duration",
/// "max-commits", "max-memory" or "interruption".
const char* end_name(const Measurement& measurement, bool interrupted);

/// Follow-up text for a run that ended before the precision that was asked for, also because it did
/// not come to rest or did so too late; otherwise empty.
std::string goal_text(const Measurement& measurement, bool interrupted);

/// Names the means that are not steady, with advice; empty when all are. `warm_up` is the given
/// warm-up; nothing if the run determined it.
std::string unsteady_text(const workloads::Precision& precision,
                          std::optional<Nanoseconds> warm_up);

/// Draws a column for each of kShownIntervals, as high as its throughput, with the scale. `unit` is
/// what is counted: "txn".
std::string over_time_text(const workloads::IntervalSeries& series, std::string_view unit);

/// Tells how many transactions were in flight, since when, and until when.
std::string in_flight_text(const Measurement& measurement);

}  // namespace verbena::experiments
