// Memory of one node: its store, its backups' logs, its location cache, and where peers have
// theirs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/endpoint.h"
#include "txn/index/location_cache.h"
#include "txn/log/log_ring.h"
#include "txn/log/log_ring_memory.h"
#include "txn/occ/node/node_options.h"
#include "txn/store/store.h"

namespace verbena::txn::occ {

/// Shared by the workers of a node, whatever they do. The endpoint must outlive it.
class NodeState {
 public:
  /// Adds the regions "store" (of a node that holds nothing, a page) and "log". Throws
  /// ConfigurationError for options that cannot work together, such as a log ring that is too small
  /// for one transaction.
  NodeState(rdma::Endpoint& endpoint, const Schema& schema, const NodeOptions& options);
  NodeState(const NodeState&) = delete;
  NodeState& operator=(const NodeState&) = delete;

  /// Throws ConfigurationError when a connected peer's store or logs have another size than this
  /// node's.
  void check_peers() const;

  rdma::Endpoint& endpoint() { return endpoint_; }
  NodeId node() const { return endpoint_.node(); }
  /// False for a client of servers apart: no record is local.
  bool stores() const { return layout_.placement().holds_any(node()); }
  const NodeOptions& options() const { return options_; }
  const Plan& plan() const { return options_.plan; }
  const Schema& schema() const { return schema_; }
  const StoreLayout& layout() const { return layout_; }
  const LogLayout& log_layout() const { return log_layout_; }
  /// A backup is asked to apply a ring's records when so many bytes of them are decided.
  std::uint64_t reclaimed_bytes() const;
  Store& store() { return store_; }
  LocationCache& cache() { return cache_; }

  /// Live memory of the ring of (source, worker) in this node's log region.
  LogRingMemory ring(NodeId source, WorkerId worker);

  /// Address of the primary copy of a record.
  RemoteAddress record_address(const RecordName& name, std::uint32_t entry) const {
    return {.node = Placement::primary(name.partition),
            .region = store_region_.id(),
            .offset = layout_.record_offset(0, name.table, entry)};
  }
  RegionId store_region() const { return store_region_.id(); }
  RegionId log_region() const { return log_region_.id(); }

  /// Registered memory that one fiber's transaction needs at most.
  std::size_t arena_bytes() const { return arena_bytes_; }

 private:
  void warm_cache();

  rdma::Endpoint& endpoint_;
  Schema schema_;
  NodeOptions options_;
  StoreLayout layout_;
  LogLayout log_layout_;
  rdma::Region& store_region_;
  rdma::Region& log_region_;
  Store store_;
  LocationCache cache_;
  std::size_t arena_bytes_;
};

}  // namespace verbena::txn::occ
