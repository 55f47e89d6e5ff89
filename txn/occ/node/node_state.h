// State of one node: its store, its backups' logs, its location cache, and addresses at peers.
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

/// Holds the state that all workers of a node share. The endpoint must outlive it.
class NodeState {
 public:
  /// Adds the regions "store" (a page at a node without records) and "log". Throws
  /// ConfigurationError for options that exclude each other, such as a log ring too small for one
  /// transaction.
  NodeState(rdma::Endpoint& endpoint, const Schema& schema, const NodeOptions& options);
  NodeState(const NodeState&) = delete;
  NodeState& operator=(const NodeState&) = delete;

  /// Throws ConfigurationError if a connected peer's store or logs differ in size from this node's.
  void check_peers() const;

  rdma::Endpoint& endpoint() { return endpoint_; }
  NodeId node() const { return endpoint_.node(); }
  /// True if the node stores records; false at a client of servers apart.
  bool stores() const { return layout_.placement().holds_any(node()); }
  const NodeOptions& options() const { return options_; }
  const Plan& plan() const { return options_.plan; }
  const Schema& schema() const { return schema_; }
  const StoreLayout& layout() const { return layout_; }
  const LogLayout& log_layout() const { return log_layout_; }
  /// Decided bytes of a ring at which its backup is asked to apply its records.
  std::uint64_t reclaimed_bytes() const;
  Store& store() { return store_; }
  LocationCache& cache() { return cache_; }

  /// Live memory of the ring for `worker` of `source` in this node's log region.
  LogRingMemory ring(NodeId source, WorkerId worker);

  /// Address of the primary copy of a record.
  RemoteAddress record_address(const RecordName& name, std::uint32_t entry) const {
    return {.node = Placement::primary(name.partition),
            .region = store_region_.id(),
            .offset = layout_.record_offset(0, name.table, entry)};
  }
  RegionId store_region() const { return store_region_.id(); }
  RegionId log_region() const { return log_region_.id(); }

  /// Most bytes of registered memory that one fiber's transaction needs.
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
