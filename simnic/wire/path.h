// A route that is kept for a pair of NICs.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// Links that lead to one NIC alone: its cable, and its port where the cable is faster.
enum OwnLink : std::uint32_t { kNoOwnLink = 0, kOwnCable = 1, kOwnPort = 2 };

/// A route as it lies among others: two words of latency, the number of links, which of the last
/// lead to its end alone (bits of OwnLink), and their numbers.
struct Path {
  const std::uint32_t* words;

  Picoseconds latency() const { return Picoseconds(std::uint64_t{words[1]} << 32 | words[0]); }
  std::uint32_t count() const { return words[2]; }
  std::uint32_t own() const { return words[3]; }
  /// Number of links before those that lead to its end alone.
  std::uint32_t shared() const { return count() - (own() & 1) - (own() >> 1); }
  const std::uint32_t* links() const { return words + 4; }
};

}  // namespace verbena::simnic
