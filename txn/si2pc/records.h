// A node's partition: records with several versions, read by snapshots, locked, and written.
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

/// A record's version is the timestamp of the commit that wrote it, with a bit if it erased the
/// record (txn/store/record.h). Current versions are the store's, those before are kept apart. A
/// record is locked from the preparation of a commit to its end; reads go through that lock, since
/// no snapshot holds a commit that is not finished. Only installing excludes reads, for the time of
/// the copies, and only those that find the record locked or come for an old version: others look
/// whether the record changed meanwhile.
///
/// A key that is to be inserted gets an entry when it is prepared, as a locked record that is
/// absent. An erased one keeps its entry as long as a snapshot may hold it. Scans that come across
/// it set it aside soon (OrderedIndex), so that those whose snapshots hold that it was erased pass
/// over it no more, and take it out of the indexes when all do. A key is looked up after the
/// snapshot was taken, and finds the entry of whatever that holds; an absent record tells so only
/// to who still finds its key there.
///
/// Thread-safe: it is used by all workers of a node, and nobody waits for a lock of another's
/// transaction. `core`: the one that this runs on.
class Records {
 public:
  /// The store, of one copy, must outlive it.
  Records(Store& store, std::uint32_t old_versions, Nanoseconds longest_transaction);

  /// The entry of a key, if it has one. Throws Malformed, here and below, for what no transaction
  /// asks: tables, keys and entries that there are not, records that their writer has not locked.
  std::optional<std::uint32_t> find(TableId name, Key key, rdma::Core& core);

  /// Reads what a snapshot holds of a record; `entry` is what find() gave, and `payload` has room
  /// for it.
  ReadStatus read(const WantedRecord& wanted, std::uint32_t entry, std::uint64_t snapshot,
                  std::byte* payload, rdma::Core& core);

  /// Gives the keys in the range that a snapshot holds, as many as `keys` has room for.
  ScanReply scan(const ScanRequest& range, std::span<Key> keys, rdma::Core& core);

  struct Prepared {
    PrepareReply::Status status;
    std::uint32_t entry;  ///< which `owner` has locked
  };
  /// Locks a record whose current version the snapshot holds. Throws ConfigurationError when there
  /// is no room for a new one.
  Prepared prepare(const PreparedRecord& record, const PrepareRequest& request, rdma::Core& core);

  /// Writes a version of a locked record, and unlocks it.
  void install(const InstalledRecord& record, const CommitRequest& request,
               const std::byte* payload, rdma::Core& core);

  /// Unlocks a record that is as it was.
  void release(const ReleasedRecord& record);

  /// Throws Malformed for a table, or an entry of it, that there is not.
  const TableLayout& table(TableId table) const;
  void check(TableId name, std::uint32_t entry) const;

  /// At `now` a transaction with this snapshot is served.
  void serves(std::uint64_t snapshot, Nanoseconds now) {
    horizon_.saw(snapshot, now);
    settled_.saw(snapshot, now);
  }

 private:
  static constexpr std::size_t kStripes = 256;
  static constexpr std::size_t kScanBatch = 32;
  struct alignas(64) Stripe {  // of entries
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
  Horizon settled_;  // of what few snapshots do not hold
  SpinLock adding_;
  std::deque<Erased> aside_;  // in the order in which they were set aside
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace verbena::txn::si2pc
