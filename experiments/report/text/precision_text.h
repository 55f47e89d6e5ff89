// How precise a run is, how it went over time and what it left undone, for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Three significant digits: "3.54 ms".
std::string time_text(Nanoseconds time);

/// "throughput +-0.3 %, mean latency +-0.4 %, aborts 0.46 +-0.02 % (95 %)": half of the widths of
/// 95 % intervals, "unknown" where that is as much as the mean; or why there are none.
std::string precision_text(const workloads::Precision& precision);

/// The end of a run that was to go on until it is precise: "precision", "max-duration",
/// "max-commits" or "interruption".
const char* end_name(const Measurement& measurement, bool interrupted);

/// The text behind it where a run ended before it was as precise as it was asked to be, which is
/// also one that did not come to rest, or not for long; else empty.
std::string goal_text(const Measurement& measurement, bool interrupted);

/// Which means are not steady and what to do about it; empty when all are. `warm_up` is what there
/// was of it; nothing where the run found that out itself.
std::string unsteady_text(const workloads::Precision& precision,
                          std::optional<Nanoseconds> warm_up);

/// A column for each of kShownIntervals, as high as its throughput, and the scale; `unit` is of
/// what was done: "txn".
std::string over_time_text(const workloads::IntervalSeries& series, std::string_view unit);

/// How many transactions had begun and not ended, since when, and until when.
std::string in_flight_text(const Measurement& measurement);

}  // namespace verbena::experiments
