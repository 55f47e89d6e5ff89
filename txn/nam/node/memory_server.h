// Part of a memory server: its records and background work.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/durability/checkpoint.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/durability/restored_state.h"
#include "txn/nam/index/catalog.h"
#include "txn/nam/index/collector.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/node/records_at_rest.h"
#include "txn/nam/node/service.h"
#include "txn/nam/node_options.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/versions/mover.h"
#include "txn/nam/versions/overflow.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::nam {

/// Holds a node's records, their indexes and old versions, and the journals of others; its CPU runs
/// a Service at each worker. Owned by its node.
class MemoryServer {
 public:
  /// Adds the region of records; serves at all workers. All arguments must outlive it. `claims`
  /// counts handlers that are claiming keys.
  MemoryServer(rdma::Endpoint& endpoint, const Layout& layout, const NodeOptions& options,
               std::atomic<std::uint32_t>& claims);

  /// Starts the records from those that were saved.
  void restore(const RestoredState& state);

  /// Adds the region of journals. Begins with checkpoints, if they are on, of the commits in
  /// `counts`. `journals` must outlive it.
  void keep_journals(const JournalLayout& journals, std::span<const std::uint32_t> counts);

  /// Saves the journals, see Participant.
  void save_journals();

  /// Adds bodies of a worker's background fibers.
  void add_background(rdma::Worker& worker, std::vector<std::function<void()>>& bodies);

  rdma::Region& records() { return records_; }
  /// Returns a function that finds the indexes of its tables, valid while this lives.
  IndexOf index_of();
  RecordsAtRest& at_rest() { return at_rest_; }
  /// Checks its records, see StateAtRest.
  SelfCheck self_check();

 private:
  void make_indexes();
  void serve(std::atomic<std::uint32_t>& claims);
  void restore_catalog(const RestoredState& state);

  rdma::Endpoint& endpoint_;
  const Layout& layout_;
  const NodeOptions& options_;
  rdma::Region& records_;
  RecordsAtRest at_rest_;
  std::unique_ptr<Overflow> overflow_;  // null: there is none; so for those below
  std::unique_ptr<Mover> mover_;
  std::deque<KeyIndex> indexes_;  // of each of its partitions, all tables
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Collector> collector_;
  std::deque<Service> services_;  // of its workers
  const JournalLayout* journals_ = nullptr;
  rdma::Region* rings_ = nullptr;
  std::unique_ptr<Checkpoints> checkpoints_;
};

}  // namespace verbena::txn::nam
