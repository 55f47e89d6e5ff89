// Forecasts the end of a run that goes on until its means are precise.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/precision.h"

namespace verbena::workloads {

/// Estimates the measured time until means are as precise as `half_width` asks (see is_precise),
/// from their precision over `series`: intervals shrink with the square root of the time. Returns 0
/// where the series is too short.
Nanoseconds length_until_precise(const IntervalSeries& series, double half_width);

/// Estimates the measured time of a run that commits `commits` in `passed`, from the number of
/// commits that most runs need until they are precise: 25 to 100 thousand for 1 %.
Nanoseconds usual_length(Nanoseconds passed, std::uint64_t commits, double half_width);

/// Returns the last two thirds of a series, which its beginning hardly affects.
IntervalSeries later_part(const IntervalSeries& series);

}  // namespace verbena::workloads
