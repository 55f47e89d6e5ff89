// Utilization of stations and cores between two moments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/seam/fabric.h"
#include "txn/view.h"

namespace verbena::workloads {

/// Use of all stations of one kind. Shares are of the interval; idle stations count too.
struct StationsUse {
  std::string kind;         ///< "processing units"
  std::uint32_t count = 0;  ///< for atomic slots: those that were ever used
  double mean = 0;          ///< mean share of busy time
  double most = 0;          ///< greatest share of busy time
  std::string busiest;      ///< place of the busiest: "node 3, NIC 0, unit 5"
  double waiting = 0;       ///< mean number of waiting requests, at all of them together
  double for_miss = 0;      ///< share of the busy time for misses in the NICs' caches

  /// Number of saturated stations (kSaturated).
  std::uint32_t saturated = 0;
  double saturated_mean = 0;  ///< mean share of busy time of these
  double at_saturated = 0;    ///< mean number of requests in service or waiting at these
};

/// Share of busy time from which a station or core counts as saturated: more requests in flight can
/// then raise its throughput by less than a third.
inline constexpr double kSaturated = 0.75;

/// Use of all workers' cores.
struct CoresUse {
  std::uint32_t count = 0;
  std::array<double, rdma::kActivities> shares{};  ///< of the mean core's time, by rdma::Activity
  double waiting = 0;      ///< share of time without work: cores wait or poll
  double completions = 0;  ///< mean number of waiting completions, of all cores together

  double mean = 0;              ///< mean share of work: without locks, empty polls and waiting
  double most = 0;              ///< greatest share of work
  std::string busiest;          ///< place of that core: "node 3, worker 5"
  std::uint32_t saturated = 0;  ///< number of saturated cores, by their work
  double saturated_mean = 0;    ///< mean share of work of these
};

/// Use of the nodes of one role.
struct RoleUse {
  txn::Role role = txn::Role::kBoth;
  std::uint32_t nodes = 0;
  std::vector<StationsUse> stations;  ///< used kinds, except links, which lie between nodes
  CoresUse cores;
};

/// A link that was down in the interval or before.
struct LinkDown {
  std::string link;
  std::uint32_t times = 0;  ///< number of outages
  Nanoseconds from = 0;     ///< first outage, by the fabric's clock; may be before the interval
  std::optional<Nanoseconds> until = {};  ///< end of the last outage; nothing: it is still down
  double share = 0;                       ///< share of the interval; 0: down before it, or unknown
};

/// Use of stations and cores. Empty where the fabric does not report it.
struct Utilization {
  std::vector<StationsUse> stations = {};  ///< kinds that were used
  CoresUse cores = {};
  std::vector<RoleUse> roles = {};        ///< in order; empty where all nodes have one role
  std::vector<LinkDown> links_down = {};  ///< the longest outage first

  bool empty() const { return cores.count == 0; }
};

/// Returns the outages of each link until `until`, or until `end` if that is earlier, including
/// those before `begin`, whose effects may last. Where that leaves no time, shares are 0.
std::vector<LinkDown> links_down(const rdma::FabricUse& begin, const rdma::FabricUse& end,
                                 Picoseconds until);

/// The role of each node.
std::vector<txn::Role> roles_of(const txn::View& view);

/// Utilization between `begin` and `end`, both of `fabric`. `roles` are by node; empty where there
/// are none. For an empty interval only the links that were down are reported.
Utilization utilization_between(const rdma::Fabric& fabric, const rdma::FabricUse& begin,
                                const rdma::FabricUse& end, std::span<const txn::Role> roles = {});

}  // namespace verbena::workloads
