// Part of a compute server: its transactions and background work.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/durability/heartbeat.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/index/catalog_cache.h"
#include "txn/nam/index/extents.h"
#include "txn/nam/messages.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/oracle/server_clock.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/worker_metrics.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn::nam {

/// Makes a node's transactions, holds what their workers know of memory servers and of the oracle,
/// and watches for other compute servers that die. Owned by its node.
class ComputeServer {
 public:
  /// `metrics`: one for each worker. All arguments must outlive it.
  ComputeServer(rdma::Endpoint& endpoint, const Layout& layout, const TransactionLimits& limits,
                const NodeOptions& options, Oracle oracle, std::deque<WorkerMetrics>& metrics);

  /// Makes transactions write journals; `journals` must outlive it.
  void keep_journals(const JournalLayout& journals) { journals_ = &journals; }

  /// Adds a region of heartbeats, and watches for servers that die.
  void look_for_dead();
  /// Notes a death of which another server has told.
  void note_dead(const FenceRequest& told);

  /// Makes a transaction, see Participant. `own_records`: see ServerMemory.
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber,
                                                rdma::Region* own_records);

  /// Adds bodies of a worker's background fibers.
  void add_background(rdma::Worker& worker, std::vector<std::function<void()>>& bodies);

 private:
  std::unique_ptr<Timestamps> timestamps(rdma::Worker& worker, std::uint16_t fiber);
  void fetch_vectors(rdma::Worker& worker);
  void recover_others(rdma::Worker& worker);

  rdma::Endpoint& endpoint_;
  const Layout& layout_;
  const TransactionLimits& limits_;
  const NodeOptions& options_;
  const Oracle oracle_;
  std::deque<WorkerMetrics>& metrics_;
  const JournalLayout* journals_ = nullptr;
  std::deque<Extents> extents_;              // of its workers, if they use extents
  std::deque<CatalogCache> catalog_caches_;  // likewise
  std::deque<ToldVectors> told_;             // of its workers
  std::unique_ptr<LatestVector> latest_;     // if a background fiber READs it
  std::unique_ptr<ServerClock> clock_;       // if fibers share a slot of the vector
  std::unique_ptr<Heartbeat> heartbeat_;     // if servers watch for dead ones
};

}  // namespace verbena::txn::nam
