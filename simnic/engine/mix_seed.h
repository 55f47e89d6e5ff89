// Seeds of the streams of random numbers that one run draws from.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"

namespace verbena::simnic {

/// Mixes parts of a seed into one.
inline std::uint64_t mix_seed(std::uint64_t a, std::uint64_t b) {
  return mix64(a * 0xd1342543de82ef95 + b);
}

}  // namespace verbena::simnic
