// One node's part in transactions: its store, logs, location cache, coordinators, and the service
// for its peers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/index/location_cache.h"
#include "txn/log/log_ring.h"
#include "txn/log/log_ring_memory.h"
#include "txn/participant.h"
#include "txn/plan/plan.h"
#include "txn/store/store.h"
#include "txn/store/store_at_rest.h"

namespace verbena::txn::occ {

class Coordinator;
class PastLogs;
class Service;

struct TransactionOptions {
  Plan plan;                   ///< resolved
  std::uint32_t replicas = 3;  ///< copies of every partition, the primary included
  std::uint32_t servers = 0;  ///< the first nodes, which only hold partitions; 0: all nodes do both
  std::uint32_t fibers = 1;   ///< transactions in flight per worker
  TransactionLimits limits;   ///< of one transaction
  std::uint64_t log_ring_bytes = 0;  ///< 0: as many as serve well, see log_ring_bytes()
  bool shortest_log_rings = false;   ///< as short as they may be, whatever log_ring_bytes says
  std::uint64_t location_cache_bytes = 300 << 20;  ///< 0: there is none, whatever the plan says
  bool warm_location_cache = false;  ///< begins with as many initial records as its cap allows
  std::uint32_t bucket_slots_percent = StoreLayout::kUsualSlotsPercent;
  /// What is recorded as the execution phase's time is that of its remote reads only
  /// (Execution::remote_time).
  bool execution_is_remote_reads = false;
  bool record_history = false;
};

/// Set-up: construct on every hosted endpoint before publish(); after connect() call start(). Then
/// workers' fibers use Transaction objects of their worker's coordinator. The endpoint must outlive
/// the node.
class TransactionNode final : public Participant {
 public:
  /// Adds the regions "store" (of a node that holds nothing, a page) and "log". Throws
  /// ConfigurationError for options that cannot work together, such as a log ring that is too small
  /// for one transaction.
  TransactionNode(rdma::Endpoint& endpoint, const Schema& schema,
                  const TransactionOptions& options);
  ~TransactionNode() override;
  TransactionNode(const TransactionNode&) = delete;
  TransactionNode& operator=(const TransactionNode&) = delete;

  /// Installs the service at every worker and creates the coordinators. Throws ConfigurationError
  /// when a peer's store or logs have another size than this node's.
  void start() override;

  /// Log rings hold records that backups are still to apply (PastLogs).
  void begin_warm(const PastWrites& past) override;

  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  /// The log keeper, where transactions run.
  std::vector<std::function<void()>> background(WorkerId worker) override;
  void transactions_done(WorkerId worker) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override;
  Metrics& metrics(WorkerId worker) override;
  const History* history(WorkerId worker) const override;
  StateAtRest& state() override { return state_; }

  rdma::Endpoint& endpoint() { return endpoint_; }
  NodeId node() const { return endpoint_.node(); }
  /// False for a client of servers apart: no record is local.
  bool stores() const { return layout_.placement().holds_any(node()); }
  const TransactionOptions& options() const { return options_; }
  const Plan& plan() const { return options_.plan; }
  const Schema& schema() const { return schema_; }
  const StoreLayout& layout() const { return layout_; }
  const LogLayout& log_layout() const { return log_layout_; }
  /// A backup is asked to apply a ring's records when so many bytes of them are decided.
  std::uint64_t reclaimed_bytes() const;
  Store& store() { return store_; }
  LocationCache& cache() { return cache_; }
  Coordinator& coordinator(WorkerId worker) { return *coordinators_[worker]; }

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
  /// Bytes of a log ring when the options leave them open: 16 KiB, or four of the longest records.
  static std::uint64_t log_ring_bytes(const TransactionLimits& limits, std::uint32_t nodes);
  /// What EndpointOptions::scratch_bytes has to be for `schema` and `options`.
  static std::size_t scratch_bytes(const TransactionOptions& options, std::uint32_t nodes);
  /// The longest RPC message that a transaction has use for, header included; with shorter ones it
  /// sends several.
  static std::uint32_t message_bytes(const Schema& schema, const TransactionOptions& options,
                                     std::uint32_t nodes);

 private:
  void warm_cache();
  void check_peers() const;

  rdma::Endpoint& endpoint_;
  Schema schema_;
  TransactionOptions options_;
  StoreLayout layout_;
  LogLayout log_layout_;
  rdma::Region& store_region_;
  rdma::Region& log_region_;
  Store store_;
  StoreAtRest state_;
  LocationCache cache_;
  std::size_t arena_bytes_;
  std::unique_ptr<PastLogs> past_logs_;  // of a run that begins warm
  std::vector<std::unique_ptr<Service>> services_;
  std::vector<std::unique_ptr<Coordinator>> coordinators_;
};

}  // namespace verbena::txn::occ
