// Server or client of ABDLOCK.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/blocks/errands.h"
#include "txn/blocks/lock/lock_at_rest.h"
#include "txn/blocks/lock/lock_layout.h"
#include "txn/blocks/options.h"
#include "txn/participant.h"
#include "txn/prism/clients.h"
#include "txn/prism/deaths/death_options.h"
#include "txn/prism/deaths/deaths.h"
#include "txn/prism/measures.h"
#include "txn/prism/nothing_at_rest.h"
#include "txn/system.h"

namespace verbena::txn::blocks {

/// Takes part as a server or a client. Only clients' one-sided requests access a server's blocks.
/// See Participant.
class LockNode final : public txn::Participant {
 public:
  LockNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
           const prism::DeathOptions& deaths, const Options& options);

  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  std::vector<std::function<void()>> background(WorkerId worker) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override;

 private:
  void keep_blocks();
  bool is_client(std::uint64_t number) const { return number > 0 && number <= clients_.count(); }

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  Options options_;
  prism::Clients clients_;
  LockLayout layout_;
  prism::Deaths deaths_;
  std::deque<prism::WorkerMetrics> workers_;
  std::unique_ptr<LocksAtRest> blocks_;  // of a server
  std::deque<WorkerErrands> errands_;    // [worker], of a client
  prism::NothingAtRest nothing_;
};

}  // namespace verbena::txn::blocks
