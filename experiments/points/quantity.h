// Quantities of a result, by name.
#pragma once

#include <string>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// Returns the names of all quantities:
/// - throughput, throughput_per_node, p50, p90, p99, p999, mean, abort_rate;
/// - for each phase of transactions PHASE_p50, PHASE_mean, PHASE_handler and PHASE_payload, e.g.
///   log_p50;
/// - for each kind of transactions KIND_throughput and the mean KIND_latency, e.g.
///   new_order_throughput;
/// - for each time that is no phase TIME_p50 and TIME_mean, e.g. snapshot_age_p50;
/// - of runs with several roles, for each of compute, memory and oracle, the mean share of time
///   that resources of its nodes are busy: ROLE_cores, ROLE_units, ROLE_pcie_from_host,
///   ROLE_pcie_to_host, ROLE_ports.
std::vector<std::string> quantity_names();

/// Unit of a quantity: "M/s", "us", "ns", "B" or "".
std::string quantity_unit(const std::string& quantity);

/// Throws ConfigurationError, with the nearest name, for an unknown quantity.
void check_quantity(const std::string& quantity);

/// Throws it, with the names of the others, also for a quantity that results of none of `points`
/// have.
void check_quantity(const std::string& quantity, const std::vector<MeasuringCommand>& points);

/// Value of a quantity in quantity_unit(); NaN when the result has none.
double quantity_of(const PointResult& result, const std::string& quantity);

}  // namespace verbena::experiments
