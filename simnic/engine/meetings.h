// Chaos mode: cores and requests wait between two accesses to memory for others to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "rdma/base/random.h"
#include "rdma/base/time.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::simnic {

struct Packet;

/// A wait for accesses to one place.
struct Appointment {
  const void* at = nullptr;  ///< place; null: there is no wait
  std::uint64_t count = 0;   ///< number of accesses since the beginning that ends it
};

/// Counts accesses to each place in memory, by cores between their steps and by NICs line by line,
/// and keeps the waits of requests for accesses. A place has the size that `FirstTouchMemory` keeps
/// in one piece, and places are only compared, so events do not depend on memory's addresses. Grows
/// with the numbers of places and requests. One per node.
class Meetings {
 public:
  void note_access(const void* at) { ++accesses_[place_of(at)]; }

  /// Draws a wait for the next accesses to `at`: mostly for one or a few, seldom for as many as a
  /// commit makes.
  Appointment draw(const void* at, SplitMix& random) const {
    constexpr std::uint32_t kDoublings = 5;
    return {.at = at, .count = count(at) + 1 + random.below(1U << random.below(kDoublings))};
  }

  /// Draws the time after which a waiter checks again whether others have come.
  static Picoseconds draw_look(SplitMix& random) {
    constexpr std::uint32_t kLongest = 100'000;
    return Picoseconds(1 + random.below(kLongest));
  }

  bool kept(const Appointment& appointment) const {
    return appointment.at == nullptr || count(appointment.at) >= appointment.count;
  }

  /// Wait of a request whose lines are accessed one after the other.
  struct Waiting {
    Picoseconds end{};  ///< deadline for the accesses of all of its lines
    Appointment appointment;
  };
  Waiting& waiting(const Packet& packet) { return waiting_[&packet]; }

 private:
  static constexpr std::uintptr_t kPlaceBytes = rdma::FirstTouchMemory::kPageBytes;
  static std::uintptr_t place_of(const void* at) {
    return reinterpret_cast<std::uintptr_t>(at) / kPlaceBytes;
  }

  std::uint64_t count(const void* at) const {
    const auto found = accesses_.find(place_of(at));
    return found == accesses_.end() ? 0 : found->second;
  }

  std::unordered_map<std::uintptr_t, std::uint64_t> accesses_;
  std::unordered_map<const Packet*, Waiting> waiting_;
};

}  // namespace verbena::simnic
