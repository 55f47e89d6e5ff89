// Comparison and replacement of words, under masks.
#include "rdma/chain/compare_and_swap.h"

#include <compare>
#include <cstddef>

namespace verbena::rdma {

bool compares(CompareMode mode, std::span<const std::uint64_t> operand,
              std::span<const std::uint64_t> memory, std::span<const std::uint64_t> mask) {
  std::strong_ordering order = std::strong_ordering::equal;
  for (std::size_t i = 0; i < operand.size() && order == std::strong_ordering::equal; ++i) {
    order = (operand[i] & mask[i]) <=> (memory[i] & mask[i]);
  }
  switch (mode) {
    case CompareMode::kEqual:
      return order == std::strong_ordering::equal;
    case CompareMode::kNotEqual:
      return order != std::strong_ordering::equal;
    case CompareMode::kGreater:
      return order == std::strong_ordering::greater;
    case CompareMode::kGreaterOrEqual:
      return order != std::strong_ordering::less;
    case CompareMode::kLess:
      return order == std::strong_ordering::less;
    case CompareMode::kLessOrEqual:
      return order != std::strong_ordering::greater;
    case CompareMode::kAlways:
      return true;
  }
  return false;
}

void replace_bits(std::span<std::uint64_t> memory, std::span<const std::uint64_t> value,
                  std::span<const std::uint64_t> mask) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = (memory[i] & ~mask[i]) | (value[i] & mask[i]);
  }
}

}  // namespace verbena::rdma
