// Times at which the values of a record must have been there.
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
/// values of a chain of steps, each of which replaces the one before; they are one block. If
/// first_end is before last_begin, only the block holds the record between them; else all of it may
/// happen at any one moment from last_begin to first_end.
///
/// A value that may have been written more than once is shared. Its operations are no block, and
/// finding an order for them takes a search. Not thread-safe.
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

  /// Takes operations with Effect::kCertain or kPossible, which must stay in place; the record
  /// begins with the value `initial`. Returns a violation, as far as it shows in one value, one
  /// block, or two blocks.
  std::optional<RegisterFinding> build(ValueDigest initial,
                                       std::span<const RegisterOperation* const> operations);

  /// Blocks that hold the record for some time, in their order.
  std::span<const Block> forward() const { return forward_; }

  /// All other blocks; their first_end and last_begin are outside of those of forward().
  std::span<const Block> points() const { return points_; }

  /// Upper limit of the numbers of shared values.
  std::size_t shared() const { return shared_; }

  /// Returns the initial value, if it is shared.
  Number initial() const { return initial_; }

 private:
  struct Value {
    Moment first_end = kAfterAll;
    Moment last_begin = kBeforeAll;
    const RegisterOperation* ends_first = nullptr;
    const RegisterOperation* begins_last = nullptr;
    const RegisterOperation* writer = nullptr;
    const RegisterOperation* reader = nullptr;
    const RegisterOperation* step = nullptr;  // step by which it was replaced
    std::uint32_t writers = 0;
    Number shared = kNone;
    bool possible = false;  // some operation on it is not certain
    bool in_block = false;
  };

  struct Use {  // an operation, with indices in values_ of the values read and written
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
  std::vector<Value*> chain_;  // chain of the block that is being built
  std::vector<Block> forward_;
  std::vector<Block> points_;
  std::size_t shared_ = 0;
  Number initial_ = kNone;
};

}  // namespace verbena::txn
