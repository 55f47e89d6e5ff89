// A commit's place in a vector of commits.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

namespace verbena::txn {

/// The how-manieth commit of a writer, from 1, and which writer; writers have slots of a vector,
/// from 1. Slot 0 and count 0 are of what was loaded.
struct Stamp {
  std::uint32_t slot = 0;
  std::uint32_t count = 0;

  auto operator<=>(const Stamp&) const = default;
};

/// Whether a snapshot, which says of each slot how many of its commits it holds, has this one.
constexpr bool visible(const Stamp& stamp, std::span<const std::uint32_t> snapshot) {
  return stamp.count <= snapshot[stamp.slot];
}

}  // namespace verbena::txn
