// A node's cache of record locations, shared by its workers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "rdma/base/types.h"
#include "txn/schema/table.h"

namespace verbena::txn {

/// Remembers the entry number of records, so that one READ fetches a record (DrTM+H paper,
/// section 5.1). Filled from RPC replies and index look-ups.
///
/// Thread-safe; `find` takes no lock, and `insert` only for growth. An entry is one atomic word
/// with 32 bits of the key's hash and the location; a set of eight is a cache line. So wrong
/// answers are possible, if improbable, and so are stale ones: code that follows a location checks
/// the key in the record, and calls `erase` if it is another. Memory follows use: the table
/// quadruples when half full, up to a cap. A find that misses in the new table is answered from the
/// one before, and carried over.
class LocationCache {
 public:
  /// `max_bytes` bounds the table in use. Growing keeps the smaller tables before it, which add a
  /// third at most.
  explicit LocationCache(std::uint64_t max_bytes);

  /// Fills the cache as a long run would have: with the locations of the initial records of `table`
  /// with indexes below `records`, in all partitions. An initial record's entry is its index, which
  /// `shape` computes, so this takes no memory. Called before the run.
  void prefill(TableId table, const KeyShape& shape, std::uint64_t records);

  std::optional<std::uint32_t> find(const RecordName& name);
  void insert(const RecordName& name, std::uint32_t entry);
  void erase(const RecordName& name);

  /// Size of all tables, in bytes.
  std::uint64_t bytes() const;

 private:
  static constexpr unsigned kWays = 8;
  static constexpr unsigned kFirstSetBits = 7;  // 8 KB, or twice that
  static constexpr unsigned kGrowthBits = 2;

  struct alignas(64) Set {
    std::array<std::atomic<std::uint64_t>, kWays> entries{};
  };
  struct Generation {
    explicit Generation(unsigned bits) : set_bits(bits), sets(std::size_t{1} << bits) {}
    unsigned set_bits;
    std::vector<Set> sets;
    std::atomic<std::uint64_t> used{0};
    Generation* previous = nullptr;
  };

  // Initial records of a table that are known.
  struct Prefilled {
    KeyShape shape;
    std::uint64_t records;
    // True once any of them is known to be elsewhere, or nowhere; then the table in use overrides
    // this.
    std::atomic<bool> amended{false};
  };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  // Returns the known records with `name`, and sets `index` to its place; null if it is not one.
  Prefilled* prefilled(const RecordName& name, std::uint64_t& index) const {
    Prefilled* known = prefilled_[name.table].get();
    if (known == nullptr) return nullptr;
    index = known->shape.index_of(name.key);
    return index < known->records ? known : nullptr;
  }
  std::optional<std::uint32_t> find_in_use(const RecordName& name);

  static std::uint64_t hash(const RecordName& name);
  static Set& set_of(Generation& generation, std::uint64_t hash) {
    return generation.sets[hash & ((std::uint64_t{1} << generation.set_bits) - 1)];
  }
  static std::optional<std::uint32_t> find_in(Generation& generation, std::uint64_t hash);
  void put(Generation& generation, std::uint64_t hash, std::uint32_t entry);
  void grow(Generation* full);

  std::array<std::unique_ptr<Prefilled>, 256> prefilled_;  // [table]
  unsigned max_set_bits_;
  std::atomic<Generation*> current_;
  mutable std::mutex growing_;
  std::vector<std::unique_ptr<Generation>> generations_;  // guarded by growing_
};

}  // namespace verbena::txn
