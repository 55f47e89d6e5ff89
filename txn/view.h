// Nodes that take part in a run, their roles, and the partitions that they hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "txn/schema/table.h"

namespace verbena::txn {

/// A node's part in a system.
enum class Role : std::uint8_t {
  kBoth,     ///< runs transactions and holds partitions
  kCompute,  ///< runs transactions; a client
  kMemory,   ///< holds partitions; a server
  kOracle,   ///< neither: gives the others timestamps, leases or views
};

/// "both", "compute", "memory" or "oracle".
const char* role_name(Role role);

/// Where a worker's transactions are at home.
struct Home {
  PartitionId partition;
  WorkerId client;  ///< tells the workers with the same home partition apart; counts from 0
};

/// Shape of a cluster, as a system needs to know it to place partitions on it.
struct ClusterShape {
  std::uint32_t nodes = 1;
  std::uint32_t replicas = 1;  ///< copies of every partition, the primary included
};

/// Roles of nodes, and the placement of partitions on them. Immutable. How many partitions there
/// are the system chooses.
class View {
 public:
  /// `roles` by node; `holders` by partition: the primary, then its backups, all of them different
  /// nodes whose role it is. Throws ConfigurationError otherwise.
  View(std::vector<Role> roles, std::vector<std::vector<NodeId>> holders);

  /// Node p holds partition p, and nodes p + 1, p + 2, ... (modulo the number of nodes) its
  /// backups. Throws ConfigurationError for more replicas than nodes, or none.
  static View ring(const ClusterShape& shape);

  /// Nodes 0 to `servers` - 1 hold one partition each and run no transactions, all others only run
  /// them. Throws ConfigurationError for more servers than nodes.
  static View apart(std::uint32_t nodes, std::uint32_t servers);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(roles_.size()); }
  Role role(NodeId node) const { return roles_[node]; }
  /// True if transactions run on `node`.
  bool computes(NodeId node) const {
    return roles_[node] == Role::kBoth || roles_[node] == Role::kCompute;
  }

  std::uint32_t partitions() const { return static_cast<std::uint32_t>(holders_.size()); }
  NodeId primary(PartitionId partition) const { return holders_[partition].front(); }
  std::span<const NodeId> backups(PartitionId partition) const {
    return std::span(holders_[partition]).subspan(1);
  }
  /// The partitions whose primary copy `node` holds, ascending.
  std::vector<PartitionId> primaries(NodeId node) const;

  /// The same without the holders that were `lost`, but for partitions all of whose were: for
  /// checks when a run is over.
  View without(std::span<const NodeId> lost) const;

  /// The home of a worker of a node that computes. Where all these nodes hold primary copies, it is
  /// one of the node's own, which its workers take in turn; otherwise the workers of all of them
  /// take all partitions in turn.
  Home home(NodeId node, WorkerId worker) const;

  bool operator==(const View&) const = default;

 private:
  std::vector<Role> roles_;
  std::vector<std::vector<NodeId>> holders_;
};

}  // namespace verbena::txn
