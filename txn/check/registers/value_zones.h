// The times that the values of a record must have been there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "txn/check/registers/register_operation.h"

namespace verbena::txn {

/// The operations on one record, by their values (Gibbons and Korach, Testing shared memories).
///
/// A value that was written once and its reads lie next to each other in every order. So do the
/// values that steps join, where each replaces the one before: they are one block. With first_end
/// before last_begin the block holds the record from the one to the other, and nothing else does;
/// else all of it may happen at any one moment from last_begin to first_end.
///
/// A value that may have been written more than once is shared: its operations are no block, and
/// who wants to know whether they have an order has to search. Not thread-safe.
class ValueZones {
 public:
  using Number = std::int32_t;  ///< names a shared value

  static constexpr Number kNone = -1;

  /// Operations that happen as one.
  struct Block {
    Moment first_end = kAfterAll;
    Moment last_begin = kBeforeAll;
    Number entry = kNone;   ///< shared value that it replaces; kNone: any
    Number exit = kNone;    ///< shared value that it leaves; kNone: another
    bool reads = false;     ///< it is one read of a shared value, and leaves it
    bool possible = false;  ///< it may have happened or not
    const RegisterOperation* ends_first = nullptr;  ///< null: the loading
    const RegisterOperation* begins_last = nullptr;

    bool forward() const { return first_end < last_begin; }
  };

  /// Takes operations with Effect::kCertain or kPossible, which must stay where they are; at first
  /// the record has the value `initial`. Returns what no order allows, as far as it shows in one
  /// value, one block, or two blocks.
  std::optional<RegisterFinding> build(ValueDigest initial,
                                       std::span<const RegisterOperation* const> operations);

  /// Blocks that hold the record for some time, in their order.
  std::span<const Block> forward() const { return forward_; }

  /// All others; first_end and last_begin are outside of those of forward().
  std::span<const Block> points() const { return points_; }

  /// Shared values have numbers below it.
  std::size_t shared() const { return shared_; }

  /// The initial value, if it is shared.
  Number initial() const { return initial_; }

 private:
  struct Value {
    Moment first_end = kAfterAll;
    Moment last_begin = kBeforeAll;
    const RegisterOperation* ends_first = nullptr;
    const RegisterOperation* begins_last = nullptr;
    const RegisterOperation* writer = nullptr;
    const RegisterOperation* reader = nullptr;
    const RegisterOperation* step = nullptr;  // by which it was replaced
    std::uint32_t writers = 0;
    Number shared = kNone;
    bool possible = false;  // some operation on it is not certain
    bool in_block = false;
  };

  struct Use {  // an operation, and indices in values_ of what it reads and writes
    const RegisterOperation* operation;
    std::uint32_t read;
    std::uint32_t written;
  };

  std::uint32_t index_of(ValueDigest value) const;
  Value& value_of(ValueDigest value) { return values_[index_of(value)]; }
  void collect(ValueDigest initial, std::span<const RegisterOperation* const> operations);
  void find_shared(ValueDigest initial);
  std::optional<RegisterFinding> find_zones();
  std::optional<RegisterFinding> build_blocks();
  std::optional<RegisterFinding> build_block(Value& first);
  std::optional<RegisterFinding> check_inside(const Block& block) const;
  void add_shared();
  std::optional<RegisterFinding> check_zones();
  static void widen(Value& value, const RegisterOperation& operation);

  std::vector<ValueDigest> digests_;  // of values_, ascending
  std::vector<Value> values_;
  std::vector<Use> uses_;
  std::vector<Value*> chain_;  // of the block that is being built
  std::vector<Block> forward_;
  std::vector<Block> points_;
  std::size_t shared_ = 0;
  Number initial_ = kNone;
};

}  // namespace verbena::txn
