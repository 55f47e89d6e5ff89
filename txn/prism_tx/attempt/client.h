// State and services of one client's transactions.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/prism/buffer_reports.h"
#include "rdma/worker.h"
#include "txn/prism/access/installs.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/deaths/last_chains.h"
#include "txn/prism/layout.h"
#include "txn/prism_tx/attempt/measures.h"
#include "txn/prism_tx/attempt/options.h"
#include "txn/prism_tx/records/access.h"
#include "txn/prism_tx/records/owners.h"
#include "txn/system.h"

namespace verbena::txn::prism_tx {

/// The means by which one coroutine's transactions take their steps. Everything it refers to
/// outlives it.
struct Client {
  Client(rdma::Worker& own_worker, const Deployment& all, const prism::Layout& objects,
         const Options& chosen, prism::Without lacks, const Owners& who,
         rdma::BufferReports& buffers, prism::BufferStock* buffer_stock, WorkerMetrics& measures)
      : worker(own_worker),
        deployment(all),
        layout(objects),
        options(chosen),
        without(lacks),
        owners(who),
        reports(buffers),
        stock(buffer_stock),
        metrics(measures),
        chains(own_worker.rpc(), prism::grouping(lacks)) {}

  rdma::Worker& worker;
  const Deployment& deployment;
  const prism::Layout& layout;
  const Options& options;
  const prism::Without without;
  const Owners& owners;
  rdma::BufferReports& reports;
  prism::BufferStock* stock;  // where servers allocate none
  WorkerMetrics& metrics;
  prism::ServerChains chains;

  void count(prism::Counter counter, std::uint64_t by = 1) const {
    metrics.count(worker.now(), counter, by);
  }

  /// Counts round trips.
  prism::RoundTrip counted() const {
    return {.begins = [this] { count(Counter::kRoundTrips); }};
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
