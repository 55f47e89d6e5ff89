// Node of NAM-DB: a compute server, a memory server, both, or the oracle.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/durability/recovery_service.h"
#include "txn/nam/node/compute_server.h"
#include "txn/nam/node/memory_server.h"
#include "txn/nam/node/oracle_server.h"
#include "txn/nam/node_options.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/worker_metrics.h"
#include "txn/participant.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// Takes part as a MemoryServer, a ComputeServer, an OracleServer, or several of them. See
/// Participant.
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
  void keep_journals();
  void restore();
  void serve_recoveries();

  rdma::Endpoint& endpoint_;
  const Deployment deployment_;
  const Layout layout_;
  const NodeOptions options_;
  std::deque<WorkerMetrics> workers_;
  std::vector<std::uint32_t> restored_;    // start of the vector of commits
  std::atomic<std::uint32_t> claims_{0};   // handlers that are claiming keys
  std::optional<JournalLayout> journals_;  // where journals are kept
  std::optional<MemoryServer> memory_;     // in that role; so are the others
  std::optional<ComputeServer> compute_;
  std::optional<OracleServer> oracle_;
  std::deque<RecoveryService> recoveries_;  // of its workers, if servers watch for dead ones
};

}  // namespace verbena::txn::nam
