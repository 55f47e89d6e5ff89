// Outages of links that affect a measurement.
#pragma once

#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// True if what is slow is so because links are or were down, now or before the measured time, and
/// not for lack of requests.
bool is_disturbed_by_outage(const Measurement& measurement);

/// True if a link was down in the measured time.
bool any_link_down(const Measurement& measurement);

/// Formats "link up1 was down from 1ms until 1100us by the simulation's clock, for 100 us of the
/// measured 2.00 ms". Requires any_link_down().
std::string links_down_text(const Measurement& measurement);

}  // namespace verbena::experiments
