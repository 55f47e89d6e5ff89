// When a run that goes on until its means are precise is likely to end.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/precision.h"

namespace verbena::workloads {

/// How long means have to be taken until they are as precise as `half_width` asks (see is_precise),
/// by how precise they are over `series`: intervals shrink with the square root of the time. 0
/// where the series tells nothing yet.
Nanoseconds length_until_precise(const IntervalSeries& series, double half_width);

/// How long runs usually measure that commit `commits` in `passed`, by how many commits most of
/// them needed until they were precise: 25 to 100 thousand for 1 %.
Nanoseconds usual_length(Nanoseconds passed, std::uint64_t commits, double half_width);

/// The later two thirds of a series, in which its beginning hardly counts.
IntervalSeries later_part(const IntervalSeries& series);

}  // namespace verbena::workloads
