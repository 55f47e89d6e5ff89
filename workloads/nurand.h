// The non-uniform random numbers of TPC-C (clause 2.1.6) and TATP.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"

namespace verbena::workloads {

/// Random numbers in [0, bound), some of them much more frequent: a uniform number is or-ed with
/// the bits of a number in [0, mask] and the result is shifted by a constant. The standards'
/// NURand(A = mask, 1, bound) draws the uniform number from [1, bound] instead of [0, bound), so
/// one draw in `bound` differs.
struct NuRand {
  std::uint64_t mask = 0;
  std::uint64_t constant = 0;
  std::uint64_t bound = 1;

  std::uint64_t draw(Random& random) const {
    return ((random.below(mask + 1) | random.below(bound)) + constant) % bound;
  }
};

}  // namespace verbena::workloads
