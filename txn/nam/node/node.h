// A compute server, a memory server, both of them, or the oracle.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/durability/checkpoint.h"
#include "txn/nam/durability/heartbeat.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/durability/recovery_service.h"
#include "txn/nam/durability/restored_state.h"
#include "txn/nam/index/catalog.h"
#include "txn/nam/index/catalog_cache.h"
#include "txn/nam/index/collector.h"
#include "txn/nam/index/extents.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/node/service.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/global_counter.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/oracle/server_clock.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/versions/mover.h"
#include "txn/nam/versions/overflow.h"
#include "txn/nam/worker_metrics.h"
#include "txn/participant.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// One node's part. A memory server's CPU does what its Service does. See Participant.
class Node final : public txn::Participant, public txn::StateAtRest {
 public:
  Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
       const Shape& shape, const NodeOptions& options);

  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  std::vector<std::function<void()>> background(WorkerId worker) override;
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override { return *this; }
  void save_journals() override;
  bool restored() const override { return !options_.restore.empty(); }

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  void scan(const KeyRange& range, const KeyVisitor& visitor) override;
  std::uint64_t count(const KeyRange& range) override;
  SelfCheck self_check() override;
  std::vector<std::uint32_t> published() override;

 private:
  bool lays_out_alike(NodeId peer) const;
  KeyIndex& index(PartitionId partition, TableId table);
  IndexOf index_of();
  void fetch_vectors(rdma::Worker& worker);
  std::unique_ptr<Timestamps> timestamps(rdma::Worker& worker, std::uint16_t fiber);
  void recover_others(rdma::Worker& worker);
  void serve_recoveries();
  void keep_vector();
  void keep_journals();
  void restore();
  void restore_catalog(const RestoredState& state);
  RecordImage live(const RecordName& name, std::uint64_t entry);
  template <typename Visit>
  void for_each_touched(TableId table, PartitionId partition, std::uint64_t from,
                        std::uint64_t until, Visit&& visit);
  template <typename Visit>
  void for_each_touched(TableId table, PartitionId partition, Visit&& visit);
  void tell_commits(SelfCheck& check);
  void check_record(const RecordName& name, std::uint64_t entry, SelfCheck& check);
  void check_old_versions(const RecordName& name, std::uint64_t entry, SelfCheck& check);

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  const Oracle oracle_;
  Layout layout_;
  NodeOptions options_;
  std::deque<WorkerMetrics> workers_;
  // Of a memory server:
  rdma::Region* records_ = nullptr;
  std::unique_ptr<Overflow> overflow_;
  std::unique_ptr<Mover> mover_;
  std::deque<KeyIndex> indexes_;  // of its partitions, of each all tables
  std::deque<Service> services_;  // of its workers
  std::unique_ptr<Collector> collector_;
  std::atomic<std::uint32_t> claims_{0};  // handlers that are claiming keys
  std::unique_ptr<Catalog> catalog_;
  // Of a compute server where workers have them:
  std::deque<Extents> extents_;
  std::deque<CatalogCache> catalog_caches_;
  std::deque<ToldVectors> told_;  // of its workers
  // Of a compute server that reads the vector in the background:
  std::unique_ptr<LatestVector> latest_;
  // Of a compute server whose fibers share a slot of it:
  std::unique_ptr<ServerClock> clock_;
  // Of an oracle that has a counter:
  std::unique_ptr<CounterServer> counter_;
  // Where they are kept:
  std::unique_ptr<JournalLayout> journals_;
  rdma::Region* rings_ = nullptr;             // of a memory server
  std::unique_ptr<Checkpoints> checkpoints_;  // of a memory server
  // Where dead servers are looked for:
  std::deque<RecoveryService> recoveries_;  // of the node's workers
  std::unique_ptr<Heartbeat> heartbeat_;    // of a compute server
  rdma::Region* vector_ = nullptr;          // of the oracle
  std::vector<std::uint32_t> restored_;     // what it begins with
};

}  // namespace verbena::txn::nam
