// The enhanced compare-and-swap as a function of words.
#pragma once

#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"

namespace verbena::rdma {

/// Returns true when `operand` compares to `memory` as `mode` asks, in the bits of `mask` (PRISM
/// paper, section 3.3). All have as many words; the first one is the most significant.
bool compares(CompareMode mode, std::span<const std::uint64_t> operand,
              std::span<const std::uint64_t> memory, std::span<const std::uint64_t> mask);

/// Replaces the bits of `memory` that are in `mask` by those of `value`.
void replace_bits(std::span<std::uint64_t> memory, std::span<const std::uint64_t> value,
                  std::span<const std::uint64_t> mask);

}  // namespace verbena::rdma
