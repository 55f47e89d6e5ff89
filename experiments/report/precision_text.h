// How precise a run is, how it went over time and what it left undone, for people.
#pragma once

#include <string>

#include "experiments/report/report.h"

namespace verbena::experiments {

/// "throughput +-0.3 %, mean latency +-0.4 %, aborts 0.46 +-0.02 % (95 %)": half of the widths of
/// 95 % intervals; or why there are none.
std::string precision_text(const workloads::Precision& precision);

/// Which means are not steady and what to do about it; empty when all are. `warm_up` is what there
/// was of it.
std::string unsteady_text(const workloads::Precision& precision, Nanoseconds warm_up);

/// A column for each of kShownIntervals, as high as its throughput, and the scale.
std::string over_time_text(const workloads::IntervalSeries& series);

/// How many transactions had begun and not ended, since when, and until when.
std::string in_flight_text(const Measurement& measurement);

}  // namespace verbena::experiments
