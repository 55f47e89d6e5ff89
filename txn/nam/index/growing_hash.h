// Hash table that grows while compute servers READ it, as its memory server's CPU uses it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "rdma/seam/core.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/index/hash_index.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Maps keys that were not loaded to their entries, in one generation of buckets, or in two while
/// it grows. Each generation has its own place, which stays unchanged after the next one has taken
/// over: a reader, by NIC or CPU, that has not heard of that yet still finds what was there before.
/// Growing takes four steps:
/// - keys are added to and removed from both generations;
/// - keys that were added before are copied, chain by chain;
/// - the catalog tells of the next generation;
/// - keys are added to and removed from that one alone.
/// Thread-safe; one fiber makes it grow.
class GrowingHash {
 public:
  /// Makes the hash table of `name`'s table and partition; its key is ignored. The table must allow
  /// insertion. `layout` and `memory` must outlive it.
  GrowingHash(const Layout& layout, const RecordName& name, rdma::FirstTouchMemory& memory);

  /// Finds a key's entry. To be called while nobody changes anything.
  std::optional<std::uint32_t> find(Key key);

  class Chains;

  /// Starts with a later generation. To be called before there are keys or users.
  void begin_with(std::uint32_t generation) {
    state_.store({.generation = generation, .growing = false}, std::memory_order_release);
  }

  /// True if there is a larger generation.
  bool can_grow() const;

  /// True if the keys would fill three quarters of the main buckets' slots, and there is a larger
  /// generation.
  bool wants_to_grow() const;

  /// Grows to the next generation. `go_on` lets other fibers run between two chains, and returns
  /// false to stop. `tell` returns when all who ask from now on learn of the new generation.
  void grow(rdma::Core& core, const std::function<bool()>& go_on,
            const std::function<void(std::uint32_t generation)>& tell);

 private:
  // Generation with all keys, and whether the next one is being filled.
  struct State {
    std::uint32_t generation = 0;
    bool growing = false;
    bool operator==(const State&) const = default;
  };
  const Layout::Table& table() const { return layout_.table(name_.table); }
  void copy_chain(std::uint32_t from, std::uint64_t bucket, rdma::Core& core);

  const Layout& layout_;
  const RecordName name_;
  std::deque<HashIndex> generations_;
  std::atomic<State> state_;
  std::atomic<std::uint64_t> keys_{0};
};

/// Buckets that may hold a key, locked against others' changes while this lives.
class GrowingHash::Chains {
 public:
  /// Waits for other holders. `core`: null where nothing else is running.
  Chains(GrowingHash& hash, Key key, rdma::Core* core);

  /// Finds the key's entry, or only `entry` if it is given. To be called once, before the others.
  std::optional<std::uint32_t> find(std::optional<std::uint32_t> entry = std::nullopt);

  /// Adds the key. To be called after a `find` without a result.
  void add(std::uint32_t entry);

  /// Removes the entry that `find` found.
  void remove();

 private:
  GrowingHash& hash_;
  std::optional<HashIndex::Chain> now_;
  std::optional<HashIndex::Chain> next_;
  std::uint32_t* slot_now_ = nullptr;
  std::uint32_t* slot_next_ = nullptr;
};

}  // namespace verbena::txn::nam
