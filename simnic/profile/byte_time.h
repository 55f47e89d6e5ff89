// Rates, and the times that bytes take at them.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// A rate as 1/1024 picoseconds per byte.
using ByteTime = std::int64_t;

inline Picoseconds transfer_time(std::int64_t bytes, ByteTime rate) {
  return Picoseconds(bytes * rate >> 10);
}

}  // namespace verbena::simnic
