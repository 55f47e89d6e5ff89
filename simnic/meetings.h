// Chaos: cores and requests that are between two accesses to memory wait there for others to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "rdma/seam/first_touch_memory.h"
#include "simnic/stations.h"

namespace verbena::simnic {

struct Request;

/// Somebody waits for accesses to one place.
struct Appointment {
  const void* at = nullptr;  ///< null: there is none
  std::uint64_t count = 0;   ///< of accesses since the beginning
};

/// Counts accesses, by cores between their steps and by NICs line by line, to what begins at a
/// place in memory, and keeps which requests wait for some. What happens does not depend on where
/// memory lies: places are as long as what a `FirstTouchMemory` puts together wherever it lies, and
/// are only compared. Grows with the places and requests there are. Of one cluster.
class Meetings {
 public:
  void note_access(const void* at) { ++accesses_[place_of(at)]; }

  /// An appointment with the next to come `at`: most often for one access or a few, seldom for as
  /// many as a commit makes.
  Appointment draw(const void* at, RandomStream& random) const {
    constexpr std::uint32_t kDoublings = 5;
    return {.at = at, .count = count(at) + 1 + random.below(1U << random.below(kDoublings))};
  }

  /// Time for which a waiter does something else, before it looks again whether others have come.
  static Picoseconds draw_look(RandomStream& random) {
    constexpr std::uint32_t kLongest = 100'000;
    return Picoseconds(1 + random.below(kLongest));
  }

  bool kept(const Appointment& appointment) const {
    return appointment.at == nullptr || count(appointment.at) >= appointment.count;
  }

  /// Wait of a request whose lines are accessed one after the other.
  struct Waiting {
    Picoseconds end{};  ///< by when all of its lines have to be accessed
    Appointment appointment;
  };
  Waiting& waiting(const Request& request) { return waiting_[&request]; }

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
  std::unordered_map<const Request*, Waiting> waiting_;
};

}  // namespace verbena::simnic
