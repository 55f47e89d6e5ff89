// Index of the keys of a table's primary copy, in their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "rdma/base/spin_lock.h"
#include "txn/index/key_tree.h"
#include "txn/index/recent_changes.h"
#include "txn/schema/key_shape.h"

namespace verbena::txn {

/// An ordered index in the owner's private memory. Initial records cost nothing until they are
/// erased, since their keys are computed. One tree holds the keys that were inserted, another the
/// runs of initial records that are gone, so an erased prefix is one step, however long.
///
/// Keys of erased records that a snapshot may still hold can be set aside. Then only queries that
/// may need these keys visit them; other queries stay fast, however many there are.
///
/// Thread-safe. The first digit of the table's key levels, e.g. a district, chooses one of several
/// parts that each have a lock; a call that reaches over several first digits sees each part as it
/// is at some time during the call.
class OrderedIndex {
 public:
  struct Item {
    Key key;
    std::uint32_t entry;
  };

  /// Makes an index of the initial keys, each with its index as its entry.
  explicit OrderedIndex(const KeyShape& initial);

  /// Throws std::logic_error if `key` is there.
  void insert(Key key, std::uint32_t entry);

  /// Throws std::logic_error if `key` is not there; it may be set aside.
  void erase(Key key);

  /// Returns the entry of a key, set aside or not.
  std::optional<std::uint32_t> find(Key key) const;

  /// Sets a key aside if `still` returns true, with no set_back() in between. From then on only
  /// queries whose `holds` is less than `since` list it; to others it is erased. Returns false when
  /// it is not there, or is aside already.
  bool set_aside(Key key, std::uint64_t since, const std::function<bool()>& still);

  /// Makes all queries list a key again. Returns false when it was not set aside.
  bool set_back(Key key);

  /// Number of keys that are set aside.
  std::uint64_t aside() const;

  /// A request to list keys in [first, last].
  struct Query {
    Key first;
    Key last;
    bool descending = false;
    bool inserted_only = false;
    std::uint64_t holds = 0;  ///< keys set aside at this time, or before, need not be listed
  };

  /// Puts the lowest keys into `items` in ascending order, or the highest in descending order.
  /// Returns their number; fewer than items.size() are all there are. Adds the number of tree nodes
  /// visited to `nodes`.
  std::size_t list(const Query& query, std::span<Item> items, std::uint32_t& nodes) const;

  /// Keys that were inserted and erased lately.
  const RecentChanges& changes() const { return changes_; }

  /// True if an initial record is listed where it was loaded: it was neither erased nor set aside.
  bool lists_initially(Key key) const;

  /// Number of initial records in [first, last] that are still listed there.
  std::uint64_t count_initial(Key first, Key last) const;

  /// Number of tree nodes in use.
  std::size_t nodes() const;

 private:
  static constexpr std::size_t kParts = 32;

  struct alignas(64) Part {
    mutable SpinLock lock;
    KeyTree inserted;  // key to entry
    KeyTree erased;    // first index of a run of initial records to the index after its last
    KeyTree aside;     // key to entry
    std::uint64_t aside_since = 0;  // latest `since` of a key set aside

    /// Tree of the keys set aside that a query needs; null when it needs none.
    const KeyTree* needed_aside(const Query& query) const {
      return aside_since > query.holds ? &aside : nullptr;
    }
    /// Trees of the keys that a query needs, beside the initial ones; null: nothing needed there.
    std::array<const KeyTree*, 2> trees(const Query& query) const {
      return {&inserted, needed_aside(query)};
    }
  };
  class InitialKeys;
  class TreeKeys;

  std::uint64_t digit_of(Key key) const { return top_shift_ ? key >> *top_shift_ : 0; }
  Part& part_of(std::uint64_t digit) const { return parts_[digit % part_count_]; }
  Key first_of(std::uint64_t digit) const { return top_shift_ ? digit << *top_shift_ : 0; }
  Key last_of(std::uint64_t digit) const {
    return top_shift_ ? first_of(digit) + ((Key{1} << *top_shift_) - 1) : kNoKey;
  }

  std::size_t list_part(const Part& part, const Query& query, std::span<Item> items,
                        std::uint32_t& nodes) const;
  std::optional<std::uint64_t> digit_after(std::uint64_t digit, const Query& query) const;
  std::optional<std::uint64_t> digit_before(std::uint64_t digit, const Query& query) const;
  std::optional<std::uint32_t> listed(Part& part, Key key) const;
  void unlist(Part& part, Key key) const;
  void erase_initial(Part& part, std::uint64_t index) const;
  static bool erased(const Part& part, std::uint64_t index);

  KeyShape initial_;
  std::optional<unsigned> top_shift_;
  std::size_t part_count_;
  std::unique_ptr<Part[]> parts_;
  RecentChanges changes_;
};

}  // namespace verbena::txn
