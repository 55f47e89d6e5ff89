// The non-uniform random numbers of TPC-C (clause 2.1.6) and TATP.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"

namespace verbena::workloads {

/// Numbers in [0, bound) some of which are much more frequent: the bits of a number in [0, mask]
/// are or-ed into a uniform one, and the result is shifted by a constant. The standards' NURand(A =
/// mask, 1, bound) draws the uniform one from [1, bound] instead of [0, bound): one draw in `bound`
/// differs.
struct NuRand {
  std::uint64_t mask = 0;
  std::uint64_t constant = 0;
  std::uint64_t bound = 1;

  std::uint64_t draw(Random& random) const {
    return ((random.below(mask + 1) | random.below(bound)) + constant) % bound;
  }
};

}  // namespace verbena::workloads
