// Node with a partition, or the counter server.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "rdma/endpoint.h"
#include "txn/participant.h"
#include "txn/si2pc/records.h"
#include "txn/si2pc/service.h"
#include "txn/si2pc/timestamps.h"
#include "txn/si2pc/transaction.h"
#include "txn/store/store.h"
#include "txn/store/store_at_rest.h"
#include "txn/system.h"

namespace verbena::txn::si2pc {

/// Options of a node.
struct NodeOptions {
  std::uint32_t versions = 3;  ///< old versions kept of each record
  /// Greatest age of a snapshot that an attempt uses.
  Nanoseconds longest_transaction = kLongestTransaction;
  std::uint32_t bucket_slots_percent = StoreLayout::kUsualSlotsPercent;
};

/// Runs transactions and serves a partition by its CPUs, or serves the counters. See Participant.
class Node final : public txn::Participant {
 public:
  /// Throws ConfigurationError for tables that cannot be laid out.
  Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
       const NodeOptions& options);

  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override { return *state_; }

 private:
  /// Partition at its node.
  struct Partition {
    Partition(const StoreLayout& layout, NodeId node, rdma::FirstTouchMemory& memory,
              const Schema& schema, const NodeOptions& options)
        : store(layout, node, memory),
          records(store, options.versions, options.longest_transaction),
          state(store, schema) {}
    Store store;
    Records records;
    StoreAtRest state;
  };

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  NodeOptions options_;
  StoreLayout layout_;
  std::deque<WorkerMetrics> workers_;
  std::deque<Service> services_;  // of its workers
  std::unique_ptr<Partition> partition_;
  Timestamps timestamps_;
  std::unique_ptr<txn::StateAtRest> counters_at_rest_;
  txn::StateAtRest* state_ = nullptr;
};

}  // namespace verbena::txn::si2pc
