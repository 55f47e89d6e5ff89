// One node's part in a transaction system.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "txn/metrics.h"
#include "txn/past_writes.h"
#include "txn/state_at_rest.h"
#include "txn/transaction.h"

namespace verbena::txn {

class History;
class View;

/// A node's part in a system, made by System::join: memory and handlers of the endpoint, and the
/// transactions of its fibers. Must be gone before the endpoint. Functions that name a worker are
/// for that worker's thread while workers run; all others are for the set-up and for afterwards.
class Participant {
 public:
  virtual ~Participant() = default;

  /// To be called once the endpoint is connected and before workers run. Throws ConfigurationError
  /// for what does not fit the peers.
  virtual void start() {}

  /// The run begins as a long one would have left it, with traces of `past`, which the node may
  /// keep: to be called after start, on all nodes or on none. By default it begins empty.
  virtual void begin_warm([[maybe_unused]] const PastWrites& past) {}

  /// The transactions of one fiber, which counts from 0 on each worker to Deployment::fibers. Only
  /// on nodes that compute.
  virtual std::unique_ptr<Transaction> transaction(WorkerId worker, std::uint16_t fiber) = 0;

  /// Bodies of the fibers that a worker needs besides those with transactions, on every node; none
  /// by default. Each returns once all transactions of the worker's node are done and nothing is
  /// left to do for them; or, where the system's endpoints have EndpointOptions::background, once
  /// Worker::over() says that those of all nodes are.
  virtual std::vector<std::function<void()>> background([[maybe_unused]] WorkerId worker) {
    return {};
  }

  /// Tells that a fiber with transactions will begin no more. By default nothing happens.
  virtual void transactions_done([[maybe_unused]] WorkerId worker) {}

  /// Has events in [from, until) of the worker's clock counted.
  virtual void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) = 0;
  /// The worker's metrics, by the names of the system's SystemInfo.
  virtual Metrics& metrics(WorkerId worker) = 0;

  /// Null when no history is recorded, or no transactions run here.
  virtual const History* history(WorkerId worker) const = 0;

  /// The run has failed since a node was lost, and nothing runs any more: saves what the cluster
  /// has to begin from again, where the system has been asked to. Throws ConfigurationError when it
  /// cannot.
  virtual void save_journals() {}

  /// True if records began as they were saved, and not as they are loaded.
  virtual bool restored() const { return false; }

  /// After the run; as long as the participant.
  virtual StateAtRest& state() = 0;
};

}  // namespace verbena::txn
