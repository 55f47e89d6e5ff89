// The parts of a transaction's latency, seen from the core that runs it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "rdma/seam/work.h"
#include "simnic/observe/observer.h"

namespace verbena::experiments {

/// A place where time passes, seen from the transaction.
enum class Place : std::uint8_t { kOwnCore, kOwnNic, kNetwork, kOtherNic, kOtherCore };

/// Waits outside stations with queues.
enum class Delay : std::uint8_t {
  kStream,     ///< a due transaction, for a free coroutine
  kComposed,   ///< a message, for others that share its doorbell
  kSendQueue,  ///< a posted request, for earlier ones of its queue pair
  kOrder,      ///< a request at memory or at its completion, for earlier requests
  kTakenUp,    ///< a completion or message, for the core to take it up
  kReady,      ///< a runnable fiber, for its core
  kAsleep,     ///< a sleeping fiber, as after an abort
  kOthers,     ///< for what others release: a slot for calls, memory for messages
  kLate,       ///< a delayed datagram that others overtake
  kLines,      ///< a request, while its cache lines are accessed one after the other (chaos)
  kLost,       ///< a time-out of a lost or late request or message
  kStopped,    ///< a core that is stopped, for other cores (chaos)
  kCount
};

/// One part of a latency. It is either work, where `number` is an rdma::Activity of a core or a
/// simnic::Station, or a wait, where it is a simnic::Resource or a Delay.
struct Part {
  enum class Kind : std::uint8_t { kActivity, kStation, kQueue, kDelay };

  Place place;
  Kind kind;
  std::uint8_t number;

  static Part of(Place place, rdma::Activity activity) {
    return {place, Kind::kActivity, static_cast<std::uint8_t>(activity)};
  }
  static Part of(Place place, simnic::Station station) {
    return {place, Kind::kStation, static_cast<std::uint8_t>(station)};
  }
  static Part of(Place place, simnic::Resource queue) {
    return {place, Kind::kQueue, static_cast<std::uint8_t>(queue)};
  }
  static Part of(Place place, Delay delay) {
    return {place, Kind::kDelay, static_cast<std::uint8_t>(delay)};
  }

  bool waiting() const { return kind == Kind::kQueue || kind == Kind::kDelay; }
  auto operator<=>(const Part&) const = default;
};

/// Name of a place: "own core", "network".
const char* place_name(Place place);

/// Name of a part: "processing unit", "queue: processing units", "ready, until it runs".
std::string part_name(const Part& part);

}  // namespace verbena::experiments
