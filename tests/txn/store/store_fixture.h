// A node's store on plain memory, for tests, and what transactions do to one record.
#pragma once

#include <sched.h>

#include <array>
#include <cstring>
#include <optional>

#include "rdma/base/time.h"
#include "rdma/seam/core.h"
#include "txn/store/lock_word.h"
#include "txn/store/store.h"

namespace verbena::txn {

/// One of several threads that share a store.
class YieldingCore final : public rdma::Core {
 public:
  YieldingCore() : Core({}) {}
  Nanoseconds now() const override { return 0; }
  void give_way() override { sched_yield(); }
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}
};

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

/// Inserts a record as a transaction that commits does, on `core`, which may be null where nothing
/// else is running; its entry.
inline std::uint32_t insert_record(Store& store, TableId table, Key key,
                                   std::span<const std::byte> payload, rdma::Core* core = nullptr) {
  constexpr std::uint64_t kOwner = 77;
  const Store::Reservation reserved = store.reserve(table, key, kOwner, core);
  write_record(store, table, reserved.entry, key, next_version(reserved.version, true), payload);
  return reserved.entry;
}

/// Erases a record of the primary copy as a transaction that commits does, likewise.
inline void erase_record(Store& store, TableId table, Key key, rdma::Core* core = nullptr) {
  const std::uint32_t entry =
      (core != nullptr ? store.find(0, table, key, *core) : store.find_at_rest(0, table, key))
          .value();
  const std::uint64_t version =
      next_version(load_word(store.record(0, table, entry) + kVersionOffset), false);
  store.unindex(table, key, entry, version, core);
  const std::vector<std::byte> payload(store.layout().table(table).format.payload_bytes());
  write_record(store, table, entry, key, version, payload);
}

}  // namespace verbena::txn
