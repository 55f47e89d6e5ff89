// Records of a node's partition in several versions, read by snapshot, locked and written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/seam/core.h"
#include "txn/index/ordered_index.h"
#include "txn/si2pc/horizon.h"
#include "txn/si2pc/messages.h"
#include "txn/si2pc/old_versions.h"
#include "txn/store/store.h"
#include "txn/transaction.h"

namespace verbena::txn::si2pc {

/// Stores, reads and locks a partition's records. A record's version is the timestamp of the commit
/// that wrote it, with a bit if the commit erased the record (txn/store/record.h). The store has
/// the current versions; older ones are kept apart. A record is locked from a commit's preparation
/// to its end. Reads go through that lock, since no snapshot holds an unfinished commit. Only
/// installing excludes reads, while it copies, and only reads that find the record locked or need
/// an old version; other reads check whether the record changed meanwhile.
///
/// A key to be inserted gets an entry at preparation, as a locked absent record. An erased key
/// keeps its entry as long as a snapshot may hold the record. A scan that meets an erased record
/// soon sets it aside (OrderedIndex); then scans whose snapshots hold the erasure no longer meet
/// it. When all snapshots hold the erasure, the key is removed from the indexes. A look-up after a
/// snapshot was taken finds the entry of every record in it. A reader may conclude from an absent
/// record that the key is absent only if it still finds the key there.
///
/// Thread-safe: all workers of a node use it, and nobody waits for another transaction's lock.
/// `core`: the caller's.
class Records {
 public:
  /// `store`, which has one copy, must outlive it.
  Records(Store& store, std::uint32_t old_versions, Nanoseconds longest_transaction);

  /// Finds the entry of a key, if it has one. Throws Malformed, here and below, for requests that
  /// no transaction makes: missing tables, keys or entries, and records that their writer has not
  /// locked.
  std::optional<std::uint32_t> find(TableId name, Key key, rdma::Core& core);

  /// Reads the version of a record that a snapshot holds; `entry` comes from find(), and `payload`
  /// has room for the record.
  ReadStatus read(const WantedRecord& wanted, std::uint32_t entry, std::uint64_t snapshot,
                  std::byte* payload, rdma::Core& core);

  /// Returns the keys of the range that a snapshot holds, as many as fit in `keys`.
  ScanReply scan(const ScanRequest& range, std::span<Key> keys, rdma::Core& core);

  struct Prepared {
    PrepareReply::Status status;
    std::uint32_t entry;  ///< locked by `owner`
  };
  /// Locks a record whose current version the snapshot holds. Throws ConfigurationError when there
  /// is no room for a new record.
  Prepared prepare(const PreparedRecord& record, const PrepareRequest& request, rdma::Core& core);

  /// Writes a version of a locked record and unlocks the record.
  void install(const InstalledRecord& record, const CommitRequest& request,
               const std::byte* payload, rdma::Core& core);

  /// Unlocks a record without changing it.
  void release(const ReleasedRecord& record);

  /// Throws Malformed for a missing table, or a missing entry of it.
  const TableLayout& table(TableId table) const;
  void check(TableId name, std::uint32_t entry) const;

  /// Notes that a transaction with this snapshot is served at `now`.
  void serves(std::uint64_t snapshot, Nanoseconds now) {
    horizon_.saw(snapshot, now);
    settled_.saw(snapshot, now);
  }

 private:
  static constexpr std::size_t kStripes = 256;
  static constexpr std::size_t kScanBatch = 32;
  struct alignas(64) Stripe {  // of some entries
    SpinLock changing;
  };
  class Still;

  std::optional<ReadStatus> read_entry(const WantedRecord& wanted, std::uint32_t entry,
                                       std::uint64_t snapshot, std::byte* payload,
                                       rdma::Core& core);
  std::optional<ReadStatus> read_still(const WantedRecord& wanted, std::uint32_t entry,
                                       std::uint64_t snapshot, std::byte* payload,
                                       rdma::Core& core);
  std::optional<Look> look(TableId table, const OrderedIndex::Item& item, std::uint64_t snapshot,
                           rdma::Core& core);
  Look look_again(TableId table, OrderedIndex::Item item, std::uint64_t snapshot, rdma::Core& core);
  struct Erased {
    TableId table;
    OrderedIndex::Item item;
    std::uint64_t version;
  };
  void pass_over(const Erased& erased, rdma::Core& core);
  bool take_out(const Erased& erased, rdma::Core& core);
  void set_aside(const Erased& erased, rdma::Core& core);
  void take_out_aside(rdma::Core& core);

  Store& store_;
  OldVersions old_;
  Horizon horizon_;
  Horizon settled_;  // commits that few snapshots lack
  SpinLock adding_;
  std::deque<Erased> aside_;  // in the order in which they were set aside
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace verbena::txn::si2pc
