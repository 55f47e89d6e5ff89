// Which keys one table of a partition has, and where: what the CPU of its memory server knows.
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

/// Entries of keys. Loaded ones have theirs from the beginning; others get one when somebody wants
/// to insert them, and keep it as long as a snapshot may hold them: whether a record is there, its
/// versions tell, to each snapshot what it holds. So an index needs no versions (NAM-DB paper,
/// section 5.2), and who looks a key up after taking a snapshot finds the entry of whatever that
/// holds. Keys that are not loaded stand in hash buckets, which compute servers READ; those of
/// ordered tables in a B+ tree, too. Thread-safe.
class KeyIndex {
 public:
  /// `memory`, that of the server's records, must outlive it, as must `layout`. Nobody uses what a
  /// look-up gave for longer than `longest_transaction`.
  /// `overflow` has the records' older versions; null: nobody has.
  KeyIndex(const Layout& layout, PartitionId partition, TableId table,
           rdma::FirstTouchMemory& memory, Nanoseconds longest_transaction, Overflow* overflow);

  /// Entries that were given up are used again only when `may_reuse` says so of when they were.
  void reuse_when(std::function<bool(Nanoseconds since)> may_reuse) {
    entries_.reuse_when(std::move(may_reuse));
  }

  /// Makes the index that of the records in memory, the first `used` of which are of somebody's
  /// key, or given up, or were never there. Of a key with two, one is erased, and is given up;
  /// throws Malformed otherwise. Once, before anybody does anything.
  void restore(std::uint64_t used);

  /// While nobody changes anything.
  std::optional<std::uint32_t> find(Key key);

  /// Gives a key that is in no entry one whose record was never there, and which is locked by
  /// `owner` before anybody can find it: `entry`, which was allocated to who asks; kAnyEntry: any.
  /// Throws ConfigurationError when the table is full, and Malformed for an entry that is not
  /// allocated.
  Claim claim(Key key, std::uint32_t entry, std::uint64_t owner, rdma::Core& core);

  /// Sets entries aside for keys that will be claimed: of records that were never there, have no
  /// key yet and are locked by `owner`. As many as `runs` has room for, and at most half of those
  /// that are nobody's, so that others find some, too. Returns how many runs it filled.
  std::size_t allocate(std::uint32_t wanted, std::uint64_t owner, std::span<EntryRun> runs,
                       rdma::Core& core);

  /// Entries that were allocated, and never claimed, are anybody's again. Throws Malformed for
  /// others.
  void free(const EntryRun& run, rdma::Core& core);

  /// Takes a key out of its entry, which was given up (kGivenUp), and is used again for another
  /// when all have forgotten it.
  void remove(Key key, std::uint32_t entry, rdma::Core& core);

  /// Unlocks what is locked by some of the slots, and installed by none of them, and frees what was
  /// allocated to them. Of records on pages that nobody has touched none is.
  ReleaseReply release(const ReleaseRequest& asked, rdma::Core& core);

  /// Has scans come across a key that was set aside; throws Malformed if the table is not ordered.
  void set_back(Key key) {
    ordered();
    ordered_->set_back(key);
  }

  /// Lists the lowest keys of a range, or the highest, and their current versions, until `wanted`
  /// of them are there or `items` are full, or it has looked at very many; not those that were
  /// never there, nor what `leave_out` says. Tells how many and fills in where it stopped. `probes`
  /// grows by the keys and the nodes of the index that were visited. Only of an ordered table.
  ///
  /// Sets erased records aside whose versions `aside` holds, and tells of them: scans of snapshots
  /// that hold this vector come across them no more (OrderedIndex), until they are set back.
  struct Stop {
    Key reached = 0;    ///< the last key that was looked at
    bool more = false;  ///< there may be others behind it
  };
  using LeaveOut = std::function<bool(const ListedKey& key)>;
  using WasSetAside = std::function<void(const ListedKey& key)>;
  std::size_t list(OrderedIndex::Query range, std::uint32_t wanted, std::span<ListedKey> items,
                   Stop& stop, std::uint32_t& probes, const LeaveOut& leave_out,
                   const KnownVector& aside, const WasSetAside& was_set_aside);

  /// The hash table of keys that were not loaded; null: there are none.
  GrowingHash* hash() { return hash_ ? &*hash_ : nullptr; }

  /// One more than the highest entry that is in use.
  std::uint64_t used_entries() const { return entries_.used(); }

  /// True if keys are taken out of it.
  bool collects() const { return layout_.table(table_).collects(); }

  /// The ordered index; throws Malformed, as of who asks for it, if the table has none.
  const OrderedIndex& ordered() const;

  /// Throws Malformed for an entry that the table does not have.
  void check(std::uint64_t entry) const { check_entry(layout_, table_, entry); }

  /// The key of a record that was looked at.
  Key key_in(std::uint64_t entry) { return word(entry, kKeyOffset); }

  /// True if the record in an entry that is in use is that of `key`, there or not; false where the
  /// entry was given up. Tells that of a page that nobody has touched yet, without touching it.
  bool holds(std::uint64_t entry, Key key);

  /// The version word of a current version, which NICs write; as holds().
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
  std::atomic<std::uint64_t> set_aside_{0};  // allocated, and not claimed
};

/// That of a table of a partition, at its memory server. Throws Malformed for what there is not.
using IndexOf = std::function<KeyIndex&(PartitionId partition, TableId table)>;

}  // namespace verbena::txn::nam
