// Keys made of digits and back.
#include "txn/schema/key_shape.h"

#include <cstddef>

namespace verbena::txn {

Key KeyShape::compose(std::uint64_t index) const {
  Key key = 0;
  for (std::size_t i = levels_; i-- > 0;) {
    key |= index % level_[i].count << level_[i].shift;
    index /= level_[i].count;
  }
  return key;
}

std::uint64_t KeyShape::decompose(Key key) const {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < levels_; ++i) {
    const std::uint64_t digit = key >> level_[i].shift;
    if (digit >= level_[i].count) return kNoIndex;
    key -= digit << level_[i].shift;
    index = index * level_[i].count + digit;
  }
  return key == 0 ? index : kNoIndex;
}

std::uint64_t KeyShape::rank(Key key) const {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < levels_; ++i) {
    const std::uint64_t digit = key >> level_[i].shift;
    key -= digit << level_[i].shift;
    index = index * level_[i].count + std::min(digit, level_[i].count);
    if (digit < level_[i].count) continue;
    // All keys with these digits so far are less.
    while (++i < levels_) index *= level_[i].count;
    return index;
  }
  return key == 0 ? index : index + 1;
}

}  // namespace verbena::txn
