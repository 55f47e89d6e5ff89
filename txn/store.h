// A node's store: its partition's primary copy and the backup copies it holds, as its own CPU uses
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "txn/bucket.h"
#include "txn/store_layout.h"

namespace verbena::txn {

/// Access by the node's own CPU to what peers access by one-sided requests and RPC. Thread-safe:
/// words that others access are read and written atomically; inserts into one table take turns.
class Store {
 public:
  /// `memory` has layout.region_bytes() and layout.loader(schema, node); it must outlive the store.
  Store(const StoreLayout& layout, rdma::NodeId node, rdma::FirstTouchMemory& memory);

  const StoreLayout& layout() const { return layout_; }
  rdma::NodeId node() const { return node_; }

  /// Entry number of `key`, if it exists. `*probes`, if given, grows by the buckets visited.
  std::optional<std::uint32_t> find(CopyId copy, TableId table, Key key,
                                    std::uint32_t* probes = nullptr);

  /// The live record in `entry`, touched. See RecordFormat for what may be done with it.
  std::byte* record(CopyId copy, TableId table, std::uint32_t entry) {
    return memory_.at(layout_.record_offset(copy, table, entry),
                      layout_.table(table).format.bytes());
  }

  /// Reads the record in `entry`, trying again while it is changing. False: it is locked.
  bool read(CopyId copy, TableId table, std::uint32_t entry, std::uint64_t& version, Key& key,
            std::byte* payload);

  /// Adds a record with version kInitialVersion and makes it findable; its entry number, or nothing
  /// if `key` exists. Throws ConfigurationError when the table is full.
  std::optional<std::uint32_t> insert(CopyId copy, TableId table, Key key,
                                      std::span<const std::byte> payload);

  /// Applies a logged update to a backup copy: the record in `entry` becomes `version` of `key`
  /// unless it has that version or a later one already. Idempotent; updates may come in any order.
  /// Adds the record if it is new. True if it changed.
  bool apply(CopyId copy, TableId table, std::uint32_t entry, Key key, std::uint64_t version,
             const std::byte* payload);

  /// Whether the record in `entry` may differ from its initial content: it lies on a page that was
  /// touched.
  bool touched(CopyId copy, TableId table, std::uint32_t entry) const;

  /// Entries of `table` that were ever handed out.
  std::uint64_t used_entries(CopyId copy, TableId table) const;

 private:
  struct TableState {  // of one copy of one table
    std::mutex inserting;
    std::uint64_t next_entry = 0;
    std::uint32_t next_indirect = 0;
  };

  Bucket& bucket(std::uint64_t offset) {
    return *reinterpret_cast<Bucket*>(memory_.at(offset, Bucket::kBytes));
  }
  TableState& state(CopyId copy, TableId table) const {
    return states_[copy * layout_.tables() + table];
  }
  bool add_to_index(CopyId copy, TableId table, TableState& state, Key key, std::uint32_t entry);

  StoreLayout layout_;
  rdma::NodeId node_;
  rdma::FirstTouchMemory& memory_;
  std::unique_ptr<TableState[]> states_;
};

}  // namespace verbena::txn
