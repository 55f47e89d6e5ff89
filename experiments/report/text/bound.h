// The bound of a measurement: a saturated resource, latency, or conflicts.
#pragma once

#include <optional>
#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

struct Bound {
  std::string by;    ///< "worker cores", "latency", "conflicts", or a kind of StationsUse
  std::string text;  ///< the same with the supporting numbers, for people

  /// For a resource, where nodes have several roles: the role of its nodes (txn::role_name), and
  /// the place of the busiest ("node 3, NIC 0").
  std::string role = {};
  std::string busiest = {};
};

/// Finds the bound of a measurement: a saturated station that holds a good part of the operations
/// in flight; conflicts, where transactions mostly try again; otherwise latency, which alone limits
/// closed loops then. The resources of each role are weighed separately. Nothing where the fabric
/// does not report utilization.
std::optional<Bound> bound_of(const Measurement& measurement);

/// Share of look-ups in NICs' caches of queue pairs that miss.
double queue_pair_miss_share(const Measurement& measurement);

}  // namespace verbena::experiments
