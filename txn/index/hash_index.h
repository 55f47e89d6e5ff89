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

/// Throws ConfigurationError: a partition of `table` has no room for more of `what`, of which it
/// may have `capacity`.
[[noreturn]] void refuse_more(const std::string& table, const std::string& capacity_setting,
                              std::uint64_t capacity, const char* what);

/// Main buckets, and indirect ones that are linked to them as they overflow. Used by the memory's
/// own CPU; thread-safe: words that others access are read and written atomically, changes take
/// turns. The caller says which main bucket is a key's. `core`, here and below: the one that this
/// runs on, which gives way while others are in a bucket; null where nothing else is running, and
/// whoever finds somebody in a bucket all the same throws std::logic_error.
class HashIndex {
 public:
  /// Where it lies.
  struct Area {
    std::uint64_t main = 0;              ///< offset of the first main bucket
    std::uint64_t indirect = 0;          ///< of the first indirect one
    std::uint64_t indirect_buckets = 0;  ///< capacity
    std::string table = {};              ///< for messages, as TableDefinition has it
    std::string capacity_setting = {};   ///< likewise
  };

  /// `memory` must outlive it.
  HashIndex(rdma::FirstTouchMemory& memory, Area area) : memory_(memory), area_(std::move(area)) {}

  /// The key's entry number, if it is there. `*probes` and `*stamp`, if given, grow by the buckets
  /// visited and by their versions.
  std::optional<std::uint32_t> find(std::uint64_t main_bucket, Key key, rdma::Core* core,
                                    std::uint32_t* probes = nullptr,
                                    std::uint64_t* stamp = nullptr);

  class Chain;

  /// Appends what a main bucket and those linked to it hold. False: one of them is being changed,
  /// or a link leads nowhere.
  bool list(std::uint64_t main_bucket, std::vector<OrderedIndex::Item>& items);

 private:
  static constexpr std::size_t kStripes = 16;

  struct alignas(64) Stripe {  // of main buckets, with the buckets linked to them
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

/// The buckets that may hold a key, which only the holder changes, as long as it lives.
class HashIndex::Chain {
 public:
  /// Waits for others that change them.
  Chain(HashIndex& index, std::uint64_t main_bucket, Key key, rdma::Core* core);

  /// Stops at the slot of the key, in `entry` if that is given, and gives what the slot holds,
  /// which is the entry number + 1; null if it is in none. To be called once, before the others.
  std::uint32_t* find(std::optional<std::uint32_t> entry);

  /// After a `find` that found nothing. Throws ConfigurationError when all buckets are in use.
  void add(std::uint32_t entry);

  /// Removes the entry in the slot that `find` gave.
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
