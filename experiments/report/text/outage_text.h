// Outages of links, as far as they matter to a measurement.
#pragma once

#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Tells whether what is slow is so since links were down, now or before the measured time, and not
/// for want of requests.
bool is_disturbed_by_outage(const Measurement& measurement);

/// Tells whether a link was down in the measured time.
bool any_link_down(const Measurement& measurement);

/// "link up1 was down from 1ms until 1100us by the simulation's clock, for 100 us of the measured
/// 2.00 ms". There has to be such a link.
std::string links_down_text(const Measurement& measurement);

}  // namespace verbena::experiments
