// Index of the keys of one table in a partition, at its memory server's CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/seam/core.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/index/ordered_index.h"
#include "txn/nam/index/entry_pool.h"
#include "txn/nam/index/growing_hash.h"
#include "txn/nam/messages.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {

/// Maps keys to entries. Loaded keys have their entries from the beginning. Others get one when
/// they are first inserted, and keep it as long as a snapshot may hold them: the record's versions
/// tell each snapshot whether the record exists. So an index needs no versions (NAM-DB paper,
/// section 5.2), and a look-up after a snapshot was taken finds the entry of every record in it.
/// Keys that were not loaded are in hash buckets, which compute servers READ; those of ordered
/// tables are in a B+ tree, too. Thread-safe.
class KeyIndex {
 public:
  /// `memory`, that of the server's records, and `layout` must outlive it. Nobody uses the result
  /// of a look-up for longer than `longest_transaction`. `overflow` holds the records' older
  /// versions; null: none are kept.
  KeyIndex(const Layout& layout, PartitionId partition, TableId table,
           rdma::FirstTouchMemory& memory, Nanoseconds longest_transaction, Overflow* overflow);

  /// Makes entries that were given up at `since` reusable only when `may_reuse(since)` is true,
  /// too.
  void reuse_when(std::function<bool(Nanoseconds since)> may_reuse) {
    entries_.reuse_when(std::move(may_reuse));
  }

  /// Builds the index from the records in memory. The first `used` entries have a key, were given
  /// up, or hold a record that was never there. A key may have two entries if one is erased; that
  /// one is given up. Throws Malformed otherwise. To be called once, before any use.
  void restore(std::uint64_t used);

  /// Finds a key's entry. To be called while nobody changes anything.
  std::optional<std::uint32_t> find(Key key);

  /// Gives a key without an entry one: `entry`, which was allocated to the caller, or any for
  /// kAnyEntry. Its record was never there, and `owner` has locked it before anybody can find it.
  /// Throws ConfigurationError when the table is full, and Malformed for an entry that is not
  /// allocated.
  Claim claim(Key key, std::uint32_t entry, std::uint64_t owner, rdma::Core& core);

  /// Reserves entries for keys that will be claimed: each without a key, never there, and locked by
  /// `owner`. Reserves at most `wanted`, what `runs` can hold, and half of the free entries, so
  /// that others find some. Returns the number of runs it filled.
  std::size_t allocate(std::uint32_t wanted, std::uint64_t owner, std::span<EntryRun> runs,
                       rdma::Core& core);

  /// Frees entries that were allocated and never claimed. Throws Malformed for others.
  void free(const EntryRun& run, rdma::Core& core);

  /// Removes a key from its entry, which was given up (kGivenUp). The entry is reused for another
  /// key when all have forgotten it.
  void remove(Key key, std::uint32_t entry, rdma::Core& core);

  /// Unlocks records that the given slots have locked and not installed, and frees entries that
  /// were allocated to them. Skips pages that nobody has touched: no record there is locked.
  ReleaseReply release(const ReleaseRequest& asked, rdma::Core& core);

  /// Makes scans list a key again that was set aside; throws Malformed if the table is not ordered.
  void set_back(Key key) {
    ordered();
    ordered_->set_back(key);
  }

  /// Lists the lowest or highest keys of a range with their current versions. Stops when `wanted`
  /// existing keys are listed, when `items` is full, or after very many keys. Leaves out keys that
  /// were never there, and those for which `leave_out` is true. Returns the number of items and
  /// fills in `stop`. Adds the visited keys and index nodes to `probes`. For ordered tables only.
  ///
  /// Sets aside erased records whose versions `aside` holds, and calls `was_set_aside`: scans of
  /// snapshots that hold this vector no longer come across them (OrderedIndex), until set_back().
  struct Stop {
    Key reached = 0;    ///< the last key that was looked at
    bool more = false;  ///< there may be others behind it
  };
  using LeaveOut = std::function<bool(const ListedKey& key)>;
  using WasSetAside = std::function<void(const ListedKey& key)>;
  std::size_t list(OrderedIndex::Query range, std::uint32_t wanted, std::span<ListedKey> items,
                   Stop& stop, std::uint32_t& probes, const LeaveOut& leave_out,
                   const KnownVector& aside, const WasSetAside& was_set_aside);

  /// Hash table of keys that were not loaded; null if there are none.
  GrowingHash* hash() { return hash_ ? &*hash_ : nullptr; }

  /// One more than the highest entry in use.
  std::uint64_t used_entries() const { return entries_.used(); }

  /// True if keys of erased records are removed from it.
  bool collects() const { return layout_.table(table_).collects(); }

  /// Returns the ordered index; throws Malformed, as an error of the caller, if the table has none.
  const OrderedIndex& ordered() const;

  /// Throws Malformed for an entry that the table does not have.
  void check(std::uint64_t entry) const { check_entry(layout_, table_, entry); }

  /// Key of a record that was looked at.
  Key key_in(std::uint64_t entry) { return word(entry, kKeyOffset); }

  /// True if the entry in use is that of `key`'s record, existing or erased; false if it was given
  /// up. Does not touch a page that nobody has touched yet.
  bool holds(std::uint64_t entry, Key key);

  /// Version word of a current version, which NICs write; does not touch untouched pages, as
  /// holds().
  std::uint64_t version(std::uint64_t entry) { return word(entry, kVersionOffset); }

 private:
  [[noreturn]] void refuse_further() const;
  bool set_aside(const ListedKey& key, const KnownVector& aside);
  bool take(rdma::Core& core, std::uint32_t& entry);
  void check_allocated(std::uint64_t entry);
  void name_allocated(std::uint32_t entry, Key key, std::uint64_t owner, rdma::Core& core);
  void give_back(std::uint32_t entry, rdma::Core& core);
  void write_placeholder(std::uint32_t entry, Key key, std::uint64_t owner, rdma::Core& core);
  void forget_old_versions(std::uint64_t entry, rdma::Core& core);
  void mark_given_up(std::uint64_t entry);
  void give_up_earlier_entries(std::uint64_t used);
  [[noreturn]] void refuse_second(Key key, std::uint64_t one, std::uint64_t other) const;
  void restore_entry(std::uint64_t entry);
  std::vector<std::byte> placeholder(Key key) const;
  std::byte* live(std::uint64_t entry);
  std::uint64_t word(std::uint64_t entry, std::uint32_t offset);
  RecordName name() const { return {.table = table_, .partition = partition_, .key = 0}; }

  const Layout& layout_;
  const PartitionId partition_;
  const TableId table_;
  rdma::FirstTouchMemory& memory_;
  Overflow* const overflow_;
  std::optional<GrowingHash> hash_;  // where keys may be inserted
  std::unique_ptr<OrderedIndex> ordered_;
  EntryPool entries_;
  std::atomic<std::uint64_t> set_aside_{0};  // allocated and not claimed
};

/// Finds the index of a partition's table, at its memory server. Throws Malformed if there is none.
using IndexOf = std::function<KeyIndex&(PartitionId partition, TableId table)>;

}  // namespace verbena::txn::nam
