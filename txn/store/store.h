// A node's store, as its own CPU uses it: its partition's primary copy, and the backup copies that
// it holds.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/seam/core.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/index/bucket.h"
#include "txn/index/hash_index.h"
#include "txn/index/ordered_index.h"
#include "txn/rest_of_range.h"
#include "txn/store/store_layout.h"

namespace verbena::txn {

/// Access by the node's own CPU to memory that peers access by one-sided requests and RPC.
/// Thread-safe: words that others access are read and written atomically; changes of an index's
/// bucket take turns.
///
/// A record to be inserted stands in the primary copy's indexes as an absent placeholder, which is
/// locked, validated, logged and committed like any other record. If its inserter gives up, it
/// stays for the next inserter of its key. Backups index present records only. An absent record
/// shows that its key does not exist only if it was found by the index: where an entry was merely
/// remembered, the key may have been erased and then inserted elsewhere.
class Store {
 public:
  /// `memory` has layout.region_bytes() and layout.loader(schema, node); it must outlive the store.
  Store(const StoreLayout& layout, NodeId node, rdma::FirstTouchMemory& memory);

  const StoreLayout& layout() const { return layout_; }
  NodeId node() const { return node_; }

  /// Returns the entry number of `key`, if it is in the index; its record may be absent. Touches no
  /// page. Adds the number of buckets visited to `*probes`, and their versions to `*stamp`, if
  /// given; while the sum of versions stays the same, nothing in the buckets has changed. `core`,
  /// here and below, is the one that this runs on; it gives way to others that it has to wait for.
  std::optional<std::uint32_t> find(CopyId copy, TableId table, Key key, rdma::Core& core,
                                    std::uint32_t* probes = nullptr,
                                    std::uint64_t* stamp = nullptr);

  /// Finds likewise where nothing else is running. Throws std::logic_error when another is in the
  /// bucket all the same; so do, here and below, functions that were given no core (null).
  std::optional<std::uint32_t> find_at_rest(CopyId copy, TableId table, Key key) const;

  /// Returns the live record in `entry`, touched. RecordFormat tells how to use it.
  std::byte* record(CopyId copy, TableId table, std::uint32_t entry) {
    return memory_.at(layout_.record_offset(copy, table, entry),
                      layout_.table(table).format.bytes());
  }

  /// Reads the record in `entry`; tries again while it is changing. Returns false when it is
  /// locked. The version tells if there is a record at all (absent()).
  bool read(CopyId copy, TableId table, std::uint32_t entry, std::uint64_t& version, Key& key,
            std::byte* payload, rdma::Core* core);

  struct Reservation {
    std::uint32_t entry;
    std::uint64_t version;  ///< current version; of a new record that of its placeholder
    bool locked;            ///< by `owner`
  };

  /// Returns the primary copy's record of `key`; adds an absent one if there is none. A record
  /// added in a never used entry carries the lock word `owner`, if that is not 0, before anybody
  /// can find it. A record in a reused entry cannot, since peers that remember the entry may try
  /// its lock by RNIC. Throws ConfigurationError when the table is full.
  Reservation reserve(TableId table, Key key, std::uint64_t owner, rdma::Core* core);

  /// Takes `key` out of the primary copy's indexes. The lock's holder is erasing its record, in
  /// `entry`, and will write the absent `version`. The entry is reused once its record shows
  /// exactly that version and no lock. Throws std::logic_error if `key` is not in `entry`.
  void unindex(TableId table, Key key, std::uint32_t entry, std::uint64_t version,
               rdma::Core* core);

  /// Visits the keys in [first, last] of an ordered table's primary copy in ascending or descending
  /// order until visit(key, entry) returns false. Leaves out records that are absent and unlocked;
  /// an absent and locked one is being inserted. Keys that come or go meanwhile may be visited or
  /// not. Adds the numbers of keys and of the index's nodes visited to `*probes`, if given. `visit`
  /// may use the store.
  template <typename Visit>
  void scan(TableId table, Key first, Key last, bool descending, Visit&& visit,
            std::uint32_t* probes = nullptr);

  /// Number of keys that such a scan would visit; computed as far as records are initial.
  std::uint64_t count(TableId table, Key first, Key last);

  /// Returns the ordered index of a table; throws std::logic_error if it has none.
  const OrderedIndex& ordered_index(TableId table) const;

  /// See OrderedIndex; of an ordered table.
  bool set_aside(TableId table, Key key, std::uint64_t since, const std::function<bool()>& still);

  /// See OrderedIndex; of any table.
  void set_back(TableId table, Key key);

  enum class Applied : std::uint8_t {
    kNothing,  ///< the entry had already changed as often
    kWritten,
    kIndexed,  ///< written, and the index has changed
  };

  /// Applies a logged update to a backup copy: the record in `entry` becomes `version` of `key`,
  /// unless the entry has already changed as often or more. Idempotent. Updates may come in any
  /// order, also those of the entries between which a key moves: when all have come, the index
  /// holds the present records. Until then a key that was moved may have both entries. Returns what
  /// it did. Throws ConfigurationError when the index is full.
  Applied apply(CopyId copy, TableId table, std::uint32_t entry, Key key, std::uint64_t version,
                const std::byte* payload, rdma::Core* core);

  // For checks while nothing changes; they fill no page.

  /// True if the record in `entry`, or one beside it, was touched, and so may differ from its
  /// initial content.
  bool touched(CopyId copy, TableId table, std::uint32_t entry) const;

  /// Returns the first touched entry from `entry` on; used_entries() if there is none.
  std::uint64_t next_touched(CopyId copy, TableId table, std::uint64_t entry) const;

  /// One more than the highest entry of `table` that was ever handed out.
  std::uint64_t used_entries(CopyId copy, TableId table) const;

  /// Returns the first touched main bucket from `bucket` on; their number if there is none.
  std::uint64_t next_touched_bucket(CopyId copy, TableId table, std::uint64_t bucket) const;

  /// Appends the items of a touched main bucket and of those linked to it. Returns false when one
  /// of them is being changed, or a link leads nowhere.
  bool list_bucket(CopyId copy, TableId table, std::uint64_t main_bucket,
                   std::vector<OrderedIndex::Item>& items);

 private:
  struct FreeEntry {
    std::uint32_t entry;
    std::uint64_t version;  // at which the entry is free to be reused
  };
  struct TableState {  // of one copy of one table
    std::unique_ptr<HashIndex> hash;
    std::atomic<std::uint64_t> next_entry{0};
    SpinLock freeing;
    std::deque<FreeEntry> free;  // in the order of erasing; guarded by freeing
    std::atomic<std::size_t> free_count{0};
    std::unique_ptr<OrderedIndex> ordered;  // of the primary copy of an ordered table
  };
  static constexpr std::size_t kScanBatch = 32;
  using ScanBatch = std::array<OrderedIndex::Item, kScanBatch>;

  std::optional<std::uint32_t> look_up(CopyId copy, TableId table, Key key, rdma::Core* core,
                                       std::uint32_t* probes, std::uint64_t* stamp) const;
  TableState& state(CopyId copy, TableId table) const {
    return states_[copy * layout_.tables() + table];
  }
  std::optional<FreeEntry> take_free_entry(TableId table, bool any, rdma::Core* core);
  std::optional<std::uint32_t> take_unused_entry(TableId table);
  bool listed(TableId table, const OrderedIndex::Item& item);
  Reservation make_placeholder(TableId table, Key key, std::uint64_t owner, rdma::Core* core);
  void count_as_used(CopyId copy, TableId table, std::uint32_t entry);
  void add_to_index(CopyId copy, TableId table, Key key, std::uint32_t entry, rdma::Core* core);
  void remove_from_index(CopyId copy, TableId table, Key key, std::uint32_t entry,
                         rdma::Core* core);

  StoreLayout layout_;
  NodeId node_;
  rdma::FirstTouchMemory& memory_;
  std::unique_ptr<TableState[]> states_;
};

template <typename Visit>
void Store::scan(TableId table, Key first, Key last, bool descending, Visit&& visit,
                 std::uint32_t* probes) {
  const OrderedIndex& index = ordered_index(table);
  std::uint32_t nodes = 0;
  std::uint32_t& visited = probes != nullptr ? *probes : nodes;
  ScanBatch batch;
  OrderedIndex::Query rest{.first = first, .last = last, .descending = descending};
  // The first batch is small, so that a reader that stops soon has not listed much in vain.
  for (std::size_t most = kScanBatch / 8; rest.first <= rest.last; most = kScanBatch) {
    const std::span<OrderedIndex::Item> items(batch.data(), most);
    const std::size_t found = index.list(rest, items, visited);
    for (const OrderedIndex::Item& item : items.first(found)) {
      ++visited;
      if (listed(table, item) && !visit(item.key, item.entry)) return;
    }
    if (found < most || !go_on_behind(rest, items[found - 1].key)) return;
  }
}

}  // namespace verbena::txn
