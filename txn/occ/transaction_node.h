// Node of the system: its memory, its coordinators, and the service for its peers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/occ/node/node_options.h"
#include "txn/occ/node/node_state.h"
#include "txn/occ/service.h"
#include "txn/participant.h"
#include "txn/store/store_at_rest.h"

namespace verbena::txn::occ {

class Coordinator;
class PastLogs;

/// Takes part in transactions. Construct one on every hosted endpoint before publish(), and call
/// start() after connect(); then workers' fibers use Transaction objects of their worker's
/// coordinator. The endpoint must outlive the node.
class TransactionNode final : public Participant {
 public:
  /// Throws as NodeState does.
  TransactionNode(rdma::Endpoint& endpoint, const Schema& schema, const NodeOptions& options);
  ~TransactionNode() override;
  TransactionNode(const TransactionNode&) = delete;
  TransactionNode& operator=(const TransactionNode&) = delete;

  /// Installs the service at every worker and creates the coordinators. Throws ConfigurationError
  /// if a peer's store or logs differ in size from this node's.
  void start() override;

  /// Starts with log rings that hold records which backups have yet to apply (PastLogs).
  void begin_warm(const PastWrites& past) override;

  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  /// Returns the log keeper's body, where transactions run.
  std::vector<std::function<void()>> background(WorkerId worker) override;
  void transactions_done(WorkerId worker) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override;
  Metrics& metrics(WorkerId worker) override;
  const History* history(WorkerId worker) const override;
  /// Has the logs applied first, after each phase of a run once; see apply_logs.
  StateAtRest& state() override;

  /// Has all services apply what logs hold (Service::apply_at_rest).
  Service::Applied apply_logs();

  NodeState& node() { return node_; }
  Coordinator& coordinator(WorkerId worker) { return *coordinators_[worker]; }

 private:
  NodeState node_;
  StoreAtRest state_;
  bool logs_applied_ = false;            // since the last phase
  std::unique_ptr<PastLogs> past_logs_;  // for a run that begins warm
  std::vector<std::unique_ptr<Service>> services_;
  std::vector<std::unique_ptr<Coordinator>> coordinators_;
};

}  // namespace verbena::txn::occ
