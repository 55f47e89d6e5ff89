// The hash table of one copy of a table, in memory that peers read by one-sided requests.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/seam/core.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/index/bucket.h"
#include "txn/index/ordered_index.h"

namespace verbena::txn {

/// Throws ConfigurationError, which says that a partition of `table` has no room for more than
/// `capacity` of `what`.
[[noreturn]] void refuse_more(const std::string& table, const std::string& capacity_setting,
                              std::uint64_t capacity, const char* what);

/// Main buckets, and indirect ones that are linked to them as they overflow. Used by the memory's
/// own CPU. Thread-safe: words that others access are read and written atomically, and changes take
/// turns. The caller chooses a key's main bucket. `core`, here and below, is the core that this
/// runs on; it gives way while others are in a bucket. It is null where nothing else is running;
/// meeting others in a bucket then throws std::logic_error.
class HashIndex {
 public:
  /// Place of the table.
  struct Area {
    std::uint64_t main = 0;              ///< offset of the first main bucket
    std::uint64_t indirect = 0;          ///< offset of the first indirect one
    std::uint64_t indirect_buckets = 0;  ///< capacity
    std::string table = {};              ///< for messages, as TableDefinition has it
    std::string capacity_setting = {};   ///< likewise
  };

  /// `memory` must outlive it.
  HashIndex(rdma::FirstTouchMemory& memory, Area area) : memory_(memory), area_(std::move(area)) {}

  /// Returns the key's entry number, if it is there. Adds the number of buckets visited to
  /// `*probes`, and their versions to `*stamp`, if given.
  std::optional<std::uint32_t> find(std::uint64_t main_bucket, Key key, rdma::Core* core,
                                    std::uint32_t* probes = nullptr,
                                    std::uint64_t* stamp = nullptr);

  class Chain;

  /// Appends the items of a main bucket and of those linked to it. Returns false when one of them
  /// is being changed, or a link leads nowhere.
  bool list(std::uint64_t main_bucket, std::vector<OrderedIndex::Item>& items);

 private:
  static constexpr std::size_t kStripes = 16;

  struct alignas(64) Stripe {  // of main buckets and the buckets linked to them
    SpinLock changing;
  };

  Bucket& bucket(std::uint64_t offset) {
    return *reinterpret_cast<Bucket*>(memory_.at(offset, Bucket::kBytes));
  }
  Bucket& main(std::uint64_t number) { return bucket(area_.main + number * Bucket::kBytes); }
  Bucket& indirect(std::uint32_t number) {
    return bucket(area_.indirect + std::uint64_t{number} * Bucket::kBytes);
  }

  rdma::FirstTouchMemory& memory_;
  Area area_;
  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::uint64_t> next_indirect_{0};
};

/// The buckets that may hold a key; while this lives, only its holder changes them.
class HashIndex::Chain {
 public:
  /// Waits for others that change these buckets.
  Chain(HashIndex& index, std::uint64_t main_bucket, Key key, rdma::Core* core);

  /// Finds the slot of the key, which holds `entry` if that is given. Returns the slot's content,
  /// the entry number + 1; null if there is no such slot. To be called once, before the others.
  std::uint32_t* find(std::optional<std::uint32_t> entry);

  /// Adds the key, after a `find` that returned null. Throws ConfigurationError when all buckets
  /// are in use.
  void add(std::uint32_t entry);

  /// Removes the entry in the slot that `find` returned.
  void remove(std::uint32_t* slot);

 private:
  void remember_free(Bucket::Line& line, unsigned slot);
  void add_bucket(std::uint32_t entry);

  HashIndex& index_;
  rdma::Core* core_;
  Key key_;
  std::unique_lock<SpinLock> held_;
  Bucket* last_;
  Bucket* free_bucket_ = nullptr;
  Key* free_key_ = nullptr;
  std::uint32_t* free_entry_ = nullptr;
};

}  // namespace verbena::txn
