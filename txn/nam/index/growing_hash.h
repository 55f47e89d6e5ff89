// The hash table of a table of a partition, as its memory server's CPU uses it while it grows.
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

/// Keys that were not loaded, and their entries, in one of the generations of buckets that the
/// layout has; while it grows, in two. Each generation has a place of its own, which stays as it
/// is when the next one has taken over: who reads buckets, by NIC or CPU, and has not heard of that
/// yet, finds what was there when it did. So growing goes in four steps:
/// - keys that come or go do so in both generations;
/// - those that had come before are copied, chain by chain;
/// - the catalog tells of the next generation whoever looks from now on;
/// - keys that come or go do so in that one alone.
/// Thread-safe; one fiber makes it grow.
class GrowingHash {
 public:
  /// The hash table of a table that keys are inserted into; of `name` table and partition count.
  /// Both must outlive it.
  GrowingHash(const Layout& layout, const RecordName& name, rdma::FirstTouchMemory& memory);

  /// While nobody changes anything.
  std::optional<std::uint32_t> find(Key key);

  class Chains;

  /// Makes it one of a later generation, while it has no keys and nobody does anything.
  void begin_with(std::uint32_t generation) {
    state_.store({.generation = generation, .growing = false}, std::memory_order_release);
  }

  /// True if there is a larger generation.
  bool can_grow() const;

  /// True if three quarters of the slots of main buckets would be in use, and there is a larger
  /// generation.
  bool wants_to_grow() const;

  /// Goes on to the next generation. `go_on`, between two chains, lets others have a turn, and
  /// returns whether there is any use in going on. `tell` returns when all who ask for it are told
  /// of it.
  void grow(rdma::Core& core, const std::function<bool()>& go_on,
            const std::function<void(std::uint32_t generation)>& tell);

 private:
  // The generation that has all keys, and whether the next one is being filled.
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

/// The buckets that may hold a key, which only the holder changes, as long as it lives.
class GrowingHash::Chains {
 public:
  /// Waits for who changes them. `core`: null where nothing else is running.
  Chains(GrowingHash& hash, Key key, rdma::Core* core);

  /// The key's entry; if `entry` is given only when it is that. To be called once, before the
  /// others.
  std::optional<std::uint32_t> find(std::optional<std::uint32_t> entry = std::nullopt);

  /// After a `find` that found nothing.
  void add(std::uint32_t entry);

  /// Removes what `find` found.
  void remove();

 private:
  GrowingHash& hash_;
  std::optional<HashIndex::Chain> now_;
  std::optional<HashIndex::Chain> next_;
  std::uint32_t* slot_now_ = nullptr;
  std::uint32_t* slot_next_ = nullptr;
};

}  // namespace verbena::txn::nam
