// A node's store on plain memory, for tests, and what transactions do to one record.
#pragma once

#include <array>
#include <cstring>
#include <optional>

#include "txn/store/lock_word.h"
#include "txn/store/store.h"

namespace verbena::txn {

class NodeStore {
 public:
  NodeStore(const Schema& schema, Placement placement, NodeId node)
      : layout(schema, placement),
        memory("store", layout.region_bytes(), layout.loader(schema, node)),
        store(layout, node, memory) {}

  StoreLayout layout;
  rdma::FirstTouchMemory memory;
  Store store;
};

/// Writes the primary copy's record in `entry` as a commit does, and unlocks it.
inline void write_record(Store& store, TableId table, std::uint32_t entry, Key key,
                         std::uint64_t version, std::span<const std::byte> payload) {
  std::byte* live = store.record(0, table, entry);
  store.layout().table(table).format.write_live(live, version, key, payload.data());
  shared_word(live + kLockOffset).store(kUnlocked);
}

/// Inserts a record as a transaction that commits does; its entry.
inline std::uint32_t insert_record(Store& store, TableId table, Key key,
                                   std::span<const std::byte> payload) {
  constexpr std::uint64_t kOwner = 77;
  const Store::Reservation reserved = store.reserve(table, key, kOwner);
  write_record(store, table, reserved.entry, key, next_version(reserved.version, true), payload);
  return reserved.entry;
}

/// Erases a record of the primary copy as a transaction that commits does.
inline void erase_record(Store& store, TableId table, Key key) {
  const std::uint32_t entry = store.find(0, table, key).value();
  const std::uint64_t version =
      next_version(load_word(store.record(0, table, entry) + kVersionOffset), false);
  store.unindex(table, key, entry, version);
  const std::vector<std::byte> payload(store.layout().table(table).format.payload_bytes());
  write_record(store, table, entry, key, version, payload);
}

}  // namespace verbena::txn
