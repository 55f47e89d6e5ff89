// A route that is kept for a pair of NICs.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// A route as it lies among others: two words of latency, the number of links, their numbers.
struct Path {
  const std::uint32_t* words;

  Picoseconds latency() const { return Picoseconds(std::uint64_t{words[1]} << 32 | words[0]); }
  std::uint32_t count() const { return words[2]; }
  const std::uint32_t* links() const { return words + 3; }
};

}  // namespace verbena::simnic
