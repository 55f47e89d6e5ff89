// State that the transactions of one worker share.
#pragma once

#include "rdma/worker.h"
#include "txn/occ/log/log_space.h"
#include "txn/occ/node/measurements.h"

namespace verbena::txn::occ {

class NodeState;

/// Holds a worker's side of coordinating transactions. Belongs to the worker's thread.
class Coordinator {
 public:
  /// `node` and `worker` must outlive it.
  Coordinator(NodeState& node, rdma::Worker& worker);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  NodeState& node() { return node_; }
  rdma::Worker& worker() { return worker_; }
  Measurements& measurements() { return measurements_; }
  LogSpace& log_space() { return log_space_; }

 private:
  NodeState& node_;
  rdma::Worker& worker_;
  Measurements measurements_;
  LogSpace log_space_;
};

}  // namespace verbena::txn::occ
