// A compute server, a memory server or the oracle.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/layout.h"
#include "txn/nam/worker_metrics.h"
#include "txn/participant.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// What is asked of a node, besides its layout.
struct NodeOptions {
  bool stable_snapshots = false;  ///< see SnapshotReader
};

/// One node's part. A memory server's CPU does nothing but drain. See Participant.
class Node final : public txn::Participant, public txn::StateAtRest {
 public:
  Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
       const Shape& shape, const NodeOptions& options);

  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override { return *this; }

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  SelfCheck self_check() override;

 private:
  bool lays_out_alike(NodeId peer) const;
  RecordImage live(const RecordName& name, std::uint64_t index);
  template <typename Visit>
  void for_each_touched(TableId table, PartitionId partition, Visit&& visit);
  void check_record(const RecordName& name, std::uint64_t index, SelfCheck& check);
  void check_old_versions(const RecordName& name, std::uint64_t index, SelfCheck& check);

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  Layout layout_;
  NodeOptions options_;
  std::deque<WorkerMetrics> workers_;
  rdma::Region* records_ = nullptr;  // of a memory server
};

}  // namespace verbena::txn::nam
