// What is shown of a result, by its name.
#pragma once

#include <string>
#include <vector>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// throughput, throughput_per_node, p50, p90, p99, p999, mean, abort_rate, for each phase of
/// transactions PHASE_p50, PHASE_mean, PHASE_handler and PHASE_payload, e.g. log_p50, and for each
/// kind of them KIND_throughput and KIND_latency, which is the mean, e.g. new_order_throughput.
std::vector<std::string> quantity_names();

/// "M/s", "us", "ns", "B" or "".
std::string quantity_unit(const std::string& quantity);

/// Throws ConfigurationError, with the nearest name, for a quantity that does not exist.
void check_quantity(const std::string& quantity);

/// The value in quantity_unit(); NaN when the result has none.
double quantity_of(const PointResult& result, const std::string& quantity);

}  // namespace verbena::experiments
