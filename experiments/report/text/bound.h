// The bound of a measurement: a saturated resource, latency, or conflicts.
#pragma once

#include <optional>
#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

struct Bound {
  std::string by;    ///< "worker cores", "latency", "conflicts", or a kind of StationsUse
  std::string text;  ///< the same with the numbers that say so, for people

  /// Where nodes differ in their roles, of a resource of theirs: whose it is (txn::role_name), and
  /// where the busiest is ("node 3, NIC 0").
  std::string role = {};
  std::string busiest = {};
};

/// Decided from what was measured: which station is saturated and holds a good part of the
/// operations in flight; whether transactions mostly try again; otherwise nothing but latency keeps
/// the closed loops from going faster. Where nodes differ in their roles, the resources of each
/// role are weighed apart from those of others. Nothing where the fabric does not tell.
std::optional<Bound> bound_of(const Measurement& measurement);

/// Share of the look-ups in NICs' caches of queue pairs that miss.
double queue_pair_miss_share(const Measurement& measurement);

}  // namespace verbena::experiments
