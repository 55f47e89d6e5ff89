// Utilization of stations and cores between two instants.
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

/// All stations of one kind. Shares are of the interval; a station that did nothing counts, too.
struct StationsUse {
  std::string kind;         ///< "processing units"
  std::uint32_t count = 0;  ///< of atomic slots those that were ever used
  double mean = 0;          ///< share of the time in which one was busy
  double most = 0;          ///< the same of the busiest one
  std::string busiest;      ///< where that is: "node 3, NIC 0, unit 5"
  double waiting = 0;       ///< how many requests waited on average, before all of them together
  double for_miss = 0;      ///< share of the busy time that is for misses in caches of the NICs

  /// Number of those that are saturated (kSaturated).
  std::uint32_t saturated = 0;
  double saturated_mean = 0;  ///< share in which these were busy
  double at_saturated = 0;    ///< how many requests they serve or let wait on average
};

/// From this share of the time on, a station or core counts as saturated: more requests in flight
/// can then get less than a third more out of it.
inline constexpr double kSaturated = 0.75;

/// All cores of workers.
struct CoresUse {
  std::uint32_t count = 0;
  std::array<double, rdma::kActivities> shares{};  ///< of the mean core's time, by rdma::Activity
  double waiting = 0;      ///< share in which nothing was to be done: cores wait, or poll
  double completions = 0;  ///< how many completions waited on average, for all cores together

  double mean = 0;              ///< share of work: without locks, empty polls and waiting
  double most = 0;              ///< the same of the busiest core
  std::string busiest;          ///< where that is: "node 3, worker 5"
  std::uint32_t saturated = 0;  ///< how many are, by their work
  double saturated_mean = 0;    ///< their work's share
};

/// Use of the nodes of one role.
struct RoleUse {
  txn::Role role = txn::Role::kBoth;
  std::uint32_t nodes = 0;
  std::vector<StationsUse> stations;  ///< kinds that were used, but for those between nodes: links
  CoresUse cores;
};

/// A link that was down in the interval, or before.
struct LinkDown {
  std::string link;
  std::uint32_t times = 0;  ///< how often
  Nanoseconds from = 0;     ///< by the fabric's clock, when it first went down, maybe before
  std::optional<Nanoseconds> until = {};  ///< when it last came up again; nothing: not yet
  double share = 0;                       ///< of the interval; 0: it was before, or no one knows
};

/// Use of stations and cores. Empty where the fabric does not tell.
struct Utilization {
  std::vector<StationsUse> stations = {};  ///< kinds that were used
  CoresUse cores = {};
  std::vector<RoleUse> roles = {};  ///< where nodes differ in them: those there are, in their order
  std::vector<LinkDown> links_down = {};  ///< the one that was down for longest first

  bool empty() const { return cores.count == 0; }
};

/// Outages of each link until `until`, or until `end` if that is earlier, also those before
/// `begin`, since what one did may last for longer. Where that leaves no time, shares are 0.
std::vector<LinkDown> links_down(const rdma::FabricUse& begin, const rdma::FabricUse& end,
                                 Picoseconds until);

/// The role of each node.
std::vector<txn::Role> roles_of(const txn::View& view);

/// Utilization between `begin` and `end`, both of `fabric`. `roles`: by node; empty where there are
/// none. Of no time only the links that were down are told.
Utilization utilization_between(const rdma::Fabric& fabric, const rdma::FabricUse& begin,
                                const rdma::FabricUse& end, std::span<const txn::Role> roles = {});

}  // namespace verbena::workloads
