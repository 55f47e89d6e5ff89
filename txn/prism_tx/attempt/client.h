// State and services of one client's transactions.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/prism/buffer_reports.h"
#include "rdma/worker.h"
#include "txn/prism/deaths/last_chains.h"
#include "txn/prism/layout.h"
#include "txn/prism_tx/attempt/measures.h"
#include "txn/prism_tx/attempt/options.h"
#include "txn/prism_tx/attempt/server_chains.h"
#include "txn/prism_tx/records/access.h"
#include "txn/prism_tx/records/owners.h"
#include "txn/system.h"

namespace verbena::txn::prism_tx {

/// The means by which one coroutine's transactions take their steps. Everything it refers to
/// outlives it.
struct Client {
  Client(rdma::Worker& own_worker, const Deployment& all, const prism::Layout& objects,
         const Options& chosen, const Owners& who, rdma::BufferReports& buffers,
         WorkerMetrics& measures)
      : worker(own_worker),
        deployment(all),
        layout(objects),
        options(chosen),
        owners(who),
        reports(buffers),
        metrics(measures),
        chains(own_worker.rpc()) {}

  rdma::Worker& worker;
  const Deployment& deployment;
  const prism::Layout& layout;
  const Options& options;
  const Owners& owners;
  rdma::BufferReports& reports;
  WorkerMetrics& metrics;
  ServerChains chains;

  void count(prism::Counter counter, std::uint64_t by = 1) const {
    metrics.count(worker.now(), counter, by);
  }

  /// Carries out the operations added to `chains`.
  void make_round_trip() {
    count(Counter::kRoundTrips);
    chains.carry_out();
  }

  /// True when `written` is of a client that has died, and will be neither decided nor taken back
  /// at `server`. May wait for that server's answer.
  bool left_by_the_dead(NodeId server, Timestamp written) const {
    const std::optional<NodeId> dead = owners.dead_client(written);
    return dead && prism::have_ended(worker, server, *dead);
  }

  /// Gives back a buffer of the list of `access`' table, to which nothing leads any more. May
  /// suspend.
  void give_back(const Access& access, std::uint64_t buffer) {
    count(Counter::kBuffersBack);
    reports.give_back(access.server, layout.list_of(access.name.table), buffer);
  }
};

}  // namespace verbena::txn::prism_tx
