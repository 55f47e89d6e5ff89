// Laying out a node's memory, and comparing that with its peers'.
#include "txn/occ/node/node_state.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "rdma/base/errors.h"
#include "txn/occ/node/node_sizes.h"

namespace verbena::txn::occ {
namespace {

// Bytes that a backup is asked to apply at once. Where messages have it apply them, it only has to
// tell.
constexpr std::uint64_t kReclaimedBytes = 2048;

// Most rings hold a few records only; most of these have two or three times as much.
constexpr std::uint64_t kLogUnitBytes = 128;

NodeOptions completed(NodeOptions options, std::uint32_t nodes) {
  if (options.shortest_log_rings) {
    options.log_ring_bytes = least_log_ring_bytes(options.limits, nodes);
  } else if (options.log_ring_bytes == 0) {
    options.log_ring_bytes = occ::log_ring_bytes(options.limits, nodes);
  }
  return options;
}

NodeOptions checked(const NodeOptions& asked, std::uint32_t nodes) {
  NodeOptions options = completed(asked, nodes);
  const TransactionLimits& limits = options.limits;
  auto refuse = [](const std::string& what) { throw ConfigurationError(what); };
  if (options.replicas == 0) refuse("replicas 0; allowed are 1 to the number of nodes");
  if (options.fibers == 0 || options.fibers > 32768) {
    refuse("coroutines " + std::to_string(options.fibers) + "; allowed are 1 to 32768");
  }
  if (limits.records == 0 || limits.records > 65535) {
    refuse("records per transaction " + std::to_string(limits.records) +
           "; allowed are 1 to 65535");
  }
  if (std::min(limits.written, nodes) > 255) {
    refuse("a transaction that writes to " + std::to_string(std::min(limits.written, nodes)) +
           " nodes; allowed are 255");
  }
  const std::uint64_t least = least_log_ring_bytes(limits, nodes);
  if (options.log_ring_bytes % 64 != 0 || options.log_ring_bytes < least) {
    refuse("run.log_ring_bytes " + std::to_string(options.log_ring_bytes) +
           "; allowed are multiples of 64 from " + std::to_string(least) +
           " on, twice the longest record");
  }
  if (options.location_cache_bytes == 0) options.plan.location_cache = false;
  return options;
}

Placement placement_of(const NodeOptions& options, std::uint32_t nodes) {
  return {.nodes = options.servers == 0 ? nodes : options.servers, .replicas = options.replicas};
}

// Peers know the region by its number, which it has also where nothing is held.
rdma::Region& add_store(rdma::Endpoint& endpoint, const Schema& schema, const StoreLayout& layout) {
  if (layout.placement().holds_any(endpoint.node())) {
    return endpoint.add_region("store", layout.region_bytes(),
                               layout.loader(schema, endpoint.node()), layout.unit_areas());
  }
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  return endpoint.add_region("store", kPage, {}, {{.begin = 0, .unit_bytes = kPage}});
}

}  // namespace

NodeState::NodeState(rdma::Endpoint& endpoint, const Schema& schema, const NodeOptions& options)
    : endpoint_(endpoint),
      schema_(schema),
      options_(checked(options, endpoint.nodes())),
      layout_(schema, placement_of(options, endpoint.nodes()), options.bucket_slots_percent),
      log_layout_{.nodes = endpoint.nodes(),
                  .workers = endpoint.links().workers(NodeId{0}),  // nodes with logs are alike
                  .ring_bytes = options_.log_ring_bytes},
      store_region_(add_store(endpoint, schema, layout_)),
      log_region_(endpoint.add_region("log", log_layout_.region_bytes(), {},
                                      {{.begin = 0, .unit_bytes = kLogUnitBytes}})),
      store_(layout_, endpoint.node(), store_region_.memory()),
      cache_(options.location_cache_bytes),
      arena_bytes_(occ::arena_bytes(options, endpoint.nodes())) {
  if (options.warm_location_cache) warm_cache();
}

// Every table that is used from other nodes gets the same share of its records, lowest keys first,
// which workloads use most.
void NodeState::warm_cache() {
  const bool own = stores();
  const auto used = [own](const TableDefinition& table) { return table.remote || !own; };
  std::uint64_t records = 0;
  for (const TableDefinition& table : schema_) {
    if (used(table)) records += table.initial_records * (layout_.placement().nodes - (own ? 1 : 0));
  }
  const std::uint64_t places = options_.location_cache_bytes / 8;
  for (std::size_t table = 0; table < schema_.size(); ++table) {
    if (!used(schema_[table])) continue;
    const std::uint64_t all = schema_[table].initial_records;
    cache_.prefill(static_cast<TableId>(table), schema_[table].key_shape(),
                   records <= places ? all : all * places / records);
  }
}

std::uint64_t NodeState::reclaimed_bytes() const {
  const std::uint64_t half = log_layout_.ring_bytes / 2;
  return plan().log_again ? half : std::min(kReclaimedBytes, half);
}

// Addresses are computed from the node's own layout.
void NodeState::check_peers() const {
  for (std::uint32_t i = 0; i < endpoint_.nodes(); ++i) {
    const auto peer = static_cast<NodeId>(i);
    if (!endpoint_.connected(peer)) continue;
    const bool holds = layout_.placement().holds_any(peer);
    const std::uint64_t store_bytes =
        holds ? layout_.region_bytes() : rdma::FirstTouchMemory::kPageBytes;
    if (endpoint_.region_size(peer, store_region_.id()) != store_bytes ||
        endpoint_.region_size(peer, log_region_.id()) != log_region_.size()) {
      throw ConfigurationError("node " + std::to_string(peer) +
                               " lays out its memory otherwise than node " +
                               std::to_string(node()) +
                               "; tables, replicas, log_ring_bytes, shortest_log_rings and "
                               "bucket_slots_percent must be the same on all nodes");
    }
  }
}

LogRingMemory NodeState::ring(NodeId source, WorkerId worker) {
  assert(source < log_layout_.nodes && worker < log_layout_.workers);
  return {log_region_.memory(), log_layout_.ring_offset(source, worker), log_layout_.ring_bytes};
}

}  // namespace verbena::txn::occ
