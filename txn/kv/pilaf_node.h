// A server or a client of Pilaf.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/kv/measures.h"
#include "txn/kv/pilaf_layout.h"
#include "txn/kv/pilaf_server.h"
#include "txn/participant.h"
#include "txn/prism/deaths/deaths.h"
#include "txn/system.h"

namespace verbena::txn::kv {

/// One node's part in Pilaf. See Participant.
class PilafNode final : public txn::Participant {
 public:
  /// `spares`: number of extents of each table without object.
  PilafNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
            const prism::DeathOptions& deaths, std::uint64_t spares);

  /// Throws ConfigurationError when messages are too short.
  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  std::vector<std::function<void()>> background(WorkerId worker) override {
    return deaths_.background(endpoint_.worker(worker));
  }
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override { return *state_; }

 private:
  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  PilafLayout layout_;
  prism::Deaths deaths_;
  std::deque<WorkerMetrics> workers_;
  std::unique_ptr<PilafServer> server_;
  std::unique_ptr<txn::StateAtRest> nothing_;
  txn::StateAtRest* state_ = nullptr;
};

}  // namespace verbena::txn::kv
