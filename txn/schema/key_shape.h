// Keys of a table's initial records: all combinations of some digits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace verbena::txn {

/// A key within a table's partition. Records may have any key below kNoKey.
using Key = std::uint64_t;
inline constexpr Key kNoKey = UINT64_MAX;

/// A digit of the initial keys: 0 .. count - 1, shifted left.
struct KeyLevel {
  std::uint64_t count;
  unsigned shift;
};

/// The initial keys of a table in ascending order, as a function of their index and back. With
/// levels {c0, s0}, {c1, s1}, {c2, s2}, index i = (d0 * c1 + d1) * c2 + d2 has the key d0 << s0 |
/// d1 << s1 | d2 << s2. Without levels the keys are dense, 0 .. count - 1.
class KeyShape {
 public:
  static constexpr std::size_t kMaxLevels = 4;
  static constexpr std::uint64_t kNoIndex = UINT64_MAX;

  /// Takes at most kMaxLevels `levels`. Their digits must not overlap, and the product of their
  /// counts must be `count`, as StoreLayout checks.
  KeyShape(std::uint64_t count, std::span<const KeyLevel> levels)
      : count_(count), dense_(levels.empty()), levels_(dense_ ? 1 : levels.size()) {
    level_[0] = {.count = count, .shift = 0};
    std::copy(levels.begin(), levels.end(), level_.begin());
  }

  std::uint64_t count() const { return count_; }

  /// Returns the shift of the first digit of several: keys that differ in it are far apart.
  std::optional<unsigned> top_shift() const {
    if (levels_ < 2) return std::nullopt;
    return level_[0].shift;
  }

  /// Returns `count` if keys are indexes, else 0.
  Key dense_keys() const { return dense_ ? count_ : 0; }

  Key key_of(std::uint64_t index) const { return dense_ ? index : compose(index); }

  /// Returns the index of `key`; kNoIndex if no initial record has it.
  std::uint64_t index_of(Key key) const {
    if (dense_) return key < count_ ? key : kNoIndex;
    return decompose(key);
  }

  /// Number of initial keys less than `key`.
  std::uint64_t rank(Key key) const;

  /// Number of initial keys not greater than `last`.
  std::uint64_t rank_after(Key last) const { return last == kNoKey ? count_ : rank(last + 1); }

  /// Goes through the keys in either direction without divisions.
  class Walk {
   public:
    /// Begins at the first key.
    explicit Walk(const KeyShape& shape) : shape_(&shape) {}

    Walk(const KeyShape& shape, std::uint64_t index) : shape_(&shape), index_(index) {
      for (std::size_t i = shape.levels_; i-- > 0;) {
        digits_[i] = index % shape.level_[i].count;
        index /= shape.level_[i].count;
        key_ += digits_[i] << shape.level_[i].shift;
      }
    }

    std::uint64_t index() const { return index_; }
    Key key() const { return key_; }

    void next() {
      ++index_;
      for (std::size_t i = shape_->levels_; i-- > 0;) {
        const KeyLevel& level = shape_->level_[i];
        key_ += Key{1} << level.shift;
        if (++digits_[i] < level.count) return;
        key_ -= level.count << level.shift;
        digits_[i] = 0;
      }
    }

    void previous() {
      --index_;
      for (std::size_t i = shape_->levels_; i-- > 0;) {
        const KeyLevel& level = shape_->level_[i];
        key_ -= Key{1} << level.shift;
        if (digits_[i]-- > 0) return;
        key_ += level.count << level.shift;
        digits_[i] = level.count - 1;
      }
    }

   private:
    const KeyShape* shape_;
    std::uint64_t index_ = 0;
    Key key_ = 0;
    std::array<std::uint64_t, kMaxLevels> digits_{};
  };

 private:
  Key compose(std::uint64_t index) const;
  std::uint64_t decompose(Key key) const;

  std::uint64_t count_;
  bool dense_;
  std::size_t levels_;
  std::array<KeyLevel, kMaxLevels> level_{};
};

}  // namespace verbena::txn
