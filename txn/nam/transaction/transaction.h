// Transactions of a compute server on records of memory servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/worker.h"
#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/fetch.h"
#include "txn/nam/execution/key_look_up.h"
#include "txn/nam/execution/number_draws.h"
#include "txn/nam/execution/overflow_reads.h"
#include "txn/nam/execution/range_scan.h"
#include "txn/nam/execution/version_search.h"
#include "txn/nam/index/catalog_cache.h"
#include "txn/nam/index/extents.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/transaction/claims.h"
#include "txn/nam/transaction/commit_journal.h"
#include "txn/nam/transaction/installation.h"
#include "txn/nam/transaction/old_places.h"
#include "txn/nam/transaction/write_locks.h"
#include "txn/nam/worker_metrics.h"
#include "txn/snapshot/snapshot_transaction.h"
#include "txn/transaction.h"

namespace verbena::txn::nam {

/// Runs transactions under snapshot isolation by one-sided verbs (NAM-DB paper, sections 3 and 4).
/// An attempt
/// - reads a snapshot of the vector of commits;
/// - READs records, in the latest version that the snapshot holds, current or old. It reads through
///   locks, and takes none (VersionSearch);
/// - finds records that were not loaded by READs of hash buckets (KeyLookUp); scans by RPC
///   (RangeScan);
/// - locks what it writes by compare-and-swap of the versions that it read, which validates them,
///   and gives up at once if one has changed or is locked (WriteLocks); claims keys without an
///   entry by RPC (Claims);
/// - where older versions are kept (Overflow), has those moved whose places it needs (OldPlaces);
/// - where journals are kept, writes down what it will install (CommitJournal);
/// - WRITEs replaced versions and new ones, which unlocks records (Installation);
/// - commits by a WRITE of its slot of the vector, when all that has been acknowledged. Other
///   designs of the oracle differ, see Timestamps.
/// An attempt that only reads commits at once. On a machine that is also a memory server, the CPU
/// does the READs and WRITEs of its records (ServerMemory). The parts share the Attempt. Belongs to
/// its fiber.
class NamTransaction final : public SnapshotTransaction {
 public:
  /// `own_records`: see ServerMemory. `extents` and `catalog`, the worker's, are null if it has
  /// none. `told` is the worker's.
  NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                 const TransactionLimits& limits, const NodeOptions& options,
                 const LatestVector* latest, std::unique_ptr<Timestamps> timestamps,
                 const JournalLayout* journals, rdma::Region* own_records, Extents* extents,
                 CatalogCache* catalog, ToldVectors& told, WorkerMetrics& metrics);

  /// Bytes of the worker's scratch memory that each fiber needs.
  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                   const NodeOptions& options);

  bool prefetches() const override { return true; }
  std::string waits_for() const override;

 protected:
  void forget_attempt() override;
  ReadSnapshot ask_for_snapshot(const Stamp& own) override;
  Handle note(const RecordName& name, Intent intent) override;
  /// Fetches and waits: workloads may afterwards use their node's data without interruption.
  void prefetch_noted() override { static_cast<void>(fetch_noted()); }
  bool fetch_noted() override;
  /// Appends exactly the keys of the snapshot.
  bool scan_range(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) override;
  /// Draws by FETCH_AND_ADD, always of the NIC.
  std::uint64_t draw_number(const RecordName& name) override;
  bool commit_attempt() override;
  void count_attempt(Nanoseconds decided) override;
  void transaction_over() override { places_.transaction_over(); }

 private:
  /// Ends of the steps of a commit.
  struct CommitTimes {
    Nanoseconds read = 0;
    Nanoseconds stamped = 0;
    Nanoseconds held = 0;
    Nanoseconds logged = 0;
    Nanoseconds installed = 0;
  };

  bool lock_all();
  bool give_up(const std::optional<Stamp>& stamp);
  void record_phases(const CommitTimes& times);

  // In the order in which they take scratch memory.
  Attempt attempt_;
  std::unique_ptr<Timestamps> timestamps_;
  OverflowReads overflow_;
  RangeScan scans_;
  AccessSet accesses_;
  CommitJournal journal_;
  KeyLookUp look_up_;

  VersionSearch search_;
  Fetch fetch_;
  NumberDraws draws_;
  Claims claims_;
  WriteLocks locks_;
  OldPlaces places_;
  Installation installation_;
};

}  // namespace verbena::txn::nam
