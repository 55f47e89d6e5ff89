// Quantities of a result, by their names.
#pragma once

#include <string>
#include <vector>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// throughput, throughput_per_node, p50, p90, p99, p999, mean, abort_rate, and for each phase of
/// transactions PHASE_p50, PHASE_mean, PHASE_handler and PHASE_payload, e.g. log_p50; for each kind
/// of them KIND_throughput and KIND_latency, which is the mean, e.g. new_order_throughput; for each
/// time that is no phase TIME_p50 and TIME_mean, e.g. snapshot_age_p50; and, of runs whose nodes
/// differ in their roles, for each of compute, memory and oracle the mean share of the time in
/// which its nodes' resources are busy: ROLE_cores, ROLE_units, ROLE_pcie_from_host,
/// ROLE_pcie_to_host, ROLE_ports.
std::vector<std::string> quantity_names();

/// "M/s", "us", "ns", "B" or "".
std::string quantity_unit(const std::string& quantity);

/// Throws ConfigurationError, with the nearest name, for a quantity that does not exist.
void check_quantity(const std::string& quantity);

/// The value in quantity_unit(); NaN when the result has none.
double quantity_of(const PointResult& result, const std::string& quantity);

}  // namespace verbena::experiments
