// The keys of a table's primary copy in their order.
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
/// erased: their keys are computed. A tree holds the keys that were inserted, another one which
/// runs of initial records are gone, so a prefix that was erased is one step, however long.
///
/// Keys whose records were erased, and may be in somebody's snapshot still, can be set aside: only
/// queries that may need them come across them then, so many of them are in nobody's way.
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

  /// An index that lists the initial keys, each with its index as its entry.
  explicit OrderedIndex(const KeyShape& initial);

  /// Throws std::logic_error if `key` is there.
  void insert(Key key, std::uint32_t entry);

  /// Throws std::logic_error if `key` is not there; it may be set aside.
  void erase(Key key);

  /// Set aside or not.
  std::optional<std::uint32_t> find(Key key) const;

  /// Sets a key aside if `still` says that it may be, which no set_back() comes between: only
  /// queries whose `holds` is less than `since` list it from now on, by which others know that it
  /// is erased. False: it is not there, or is aside already.
  bool set_aside(Key key, std::uint64_t since, const std::function<bool()>& still);

  /// Has a key listed again by all queries. False: it was not set aside.
  bool set_back(Key key);

  /// Keys that are set aside.
  std::uint64_t aside() const;

  /// A request to list keys in [first, last].
  struct Query {
    Key first;
    Key last;
    bool descending = false;
    bool inserted_only = false;
    std::uint64_t holds = 0;  ///< keys set aside since then, or before, need not be listed
  };

  /// Puts the lowest keys into `items` in ascending order, or the highest in descending order, and
  /// returns how many; less than items.size() are all there are. `nodes` grows by the tree nodes
  /// visited.
  std::size_t list(const Query& query, std::span<Item> items, std::uint32_t& nodes) const;

  /// Keys that were inserted and erased lately.
  const RecentChanges& changes() const { return changes_; }

  /// True if an initial record is listed where it was loaded: it was never erased, nor set aside.
  bool lists_initially(Key key) const;

  /// Number of initial records in [first, last] that are listed so.
  std::uint64_t count_initial(Key first, Key last) const;

  /// Tree nodes in use.
  std::size_t nodes() const;

 private:
  static constexpr std::size_t kParts = 32;

  struct alignas(64) Part {
    mutable SpinLock lock;
    KeyTree inserted;  // to their entries
    KeyTree erased;    // first index of a run of initial records to the index after its last
    KeyTree aside;     // to their entries
    std::uint64_t aside_since = 0;  // the latest

    /// Keys that a query needs which were set aside; null: none.
    const KeyTree* needed_aside(const Query& query) const {
      return aside_since > query.holds ? &aside : nullptr;
    }
    /// The trees of keys that a query needs, beside the initial ones; null: none there.
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
