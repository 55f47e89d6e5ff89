// The parts of a transaction's latency: where its time goes, seen from the core that runs it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "rdma/seam/work.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// Seen from the transaction.
enum class Place : std::uint8_t { kOwnCore, kOwnNic, kNetwork, kOtherNic, kOtherCore };

/// Waits that are at no station with a queue.
enum class Delay : std::uint8_t {
  kStream,     ///< it was due, and no coroutine was free
  kComposed,   ///< a message, for others that leave under the same doorbell
  kSendQueue,  ///< a posted request, for earlier ones of its queue pair
  kOrder,      ///< a request at memory or in completing, for others before it
  kTakenUp,    ///< a completion or message, for the core to look at it
  kReady,      ///< a fiber, for what its core does before
  kAsleep,     ///< a fiber that sleeps, as after an abort
  kOthers,     ///< for what others give back: a slot for calls, memory for messages
  kLate,       ///< a datagram, that others overtake
  kLines,      ///< a request, while its cache lines are accessed one after the other (chaos)
  kLost,       ///< for a time-out: request or message, lost or late
  kStopped,    ///< its core, for other cores (chaos)
  kCount
};

/// One part. Either work, for which `number` is an rdma::Activity of a core or a simnic::Station,
/// or waiting: for a simnic::Resource, or for a Delay.
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

/// "own core", "network"
const char* place_name(Place place);

/// "processing unit", "queue: processing units", "ready, until it runs"
std::string part_name(const Part& part);

}  // namespace verbena::experiments
