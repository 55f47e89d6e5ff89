// The extension of PRISM that NICs lack.
#pragma once

#include <cstdint>

#include "rdma/base/parameter.h"

namespace verbena::txn::prism {

/// Extension of plain RDMA (PRISM paper, section 3) that systems do without.
enum class Without : std::uint8_t {
  kNothing,
  kIndirection,  ///< pointers are not followed, nor operands taken from the scratch
  kAllocation,   ///< no ALLOCATE
  kCas,          ///< compare-and-swaps are of 8 B, all of which they compare, and for equality
  kChaining,     ///< no operation waits for another one, or leaves it a value
};

/// Returns the parameter, of section "prism".
Parameter without_parameter(Without& without);

/// Mixes the choice into the digest that nodes have to agree on.
std::uint64_t agreement(Without without, std::uint64_t before);

}  // namespace verbena::txn::prism
