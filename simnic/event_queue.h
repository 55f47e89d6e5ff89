// The queue of a simulation's events: a monotone radix heap, first in first out among equal times.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace verbena::simnic {

/// A point in simulated time or a duration, in picoseconds.
using Picoseconds = std::int64_t;

inline constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;
inline constexpr Picoseconds kNeverPs = INT64_MAX;

/// What happens when an event is due. `Event::index` names the object.
enum class EventKind : std::uint8_t {
  kLimit,           ///< the end of what the engine lets us simulate now
  kCoreCaughtUp,    ///< index: core; the engine has reached the core's local clock
  kCoreTimer,       ///< index: core; a deadline of idle
  kCoreWake,        ///< index: core; another core's wake
  kDoorbell,        ///< index: request, the first that the doorbell announces
  kRequestArrives,  ///< index: request; at the responder's NIC
  kMemoryEffect,    ///< index: request; at the responder's memory
  kMemoryLine,      ///< index: request; one cache line of it (chaos)
  kCompletes,       ///< index: request; at the requester's memory and completion queue
  kRetry,           ///< index: request; the requester sends again
  kFails,           ///< index: request; an error reaches the requester
};

/// One event, small so that moving it is cheap.
struct Event {
  Picoseconds time;
  std::uint32_t index;
  std::uint32_t tag_and_kind;

  static constexpr std::uint32_t kTagMask = 0xff'ffff;

  static Event make(Picoseconds time, EventKind kind, std::uint32_t index, std::uint32_t tag) {
    return Event{time, index, (tag & kTagMask) << 8 | static_cast<std::uint32_t>(kind)};
  }
  EventKind kind() const { return static_cast<EventKind>(tag_and_kind & 0xff); }
  std::uint32_t tag() const { return tag_and_kind >> 8; }
};
static_assert(sizeof(Event) == 16);

/// A radix heap: an event waits in the bucket of the highest bit in which its time differs from the
/// time of the event that was taken last. Times pushed must not lie before that. Push is O(1), pop
/// amortized O(log(horizon)) with sequential memory access only; events of equal time leave in the
/// order in which they were pushed.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const Event& event) {
    assert(event.time >= last_);
    ++size_;
    put(event);
  }

  /// Takes the earliest event. The queue must not be empty.
  Event pop() {
    assert(size_ > 0);
    --size_;
    if (next_due_ == buckets_[0].size()) advance();
    const Event event = buckets_[0][next_due_++];
    if (next_due_ == buckets_[0].size()) {
      buckets_[0].clear();
      next_due_ = 0;
    }
    return event;
  }

 private:
  static constexpr std::size_t kBuckets = 65;

  void put(const Event& event) {
    const auto difference = static_cast<std::uint64_t>(event.time ^ last_);
    const auto bucket = static_cast<std::size_t>(std::bit_width(difference));
    buckets_[bucket].push_back(event);
    occupied_ |= bucket == 0 ? 0 : std::uint64_t{1} << (bucket - 1);
  }

  /// Makes the earliest time the reference and spreads its bucket over lower ones.
  void advance() {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(occupied_)) + 1;
    std::vector<Event>& source = buckets_[lowest];
    occupied_ &= ~(std::uint64_t{1} << (lowest - 1));
    Picoseconds earliest = source[0].time;
    for (const Event& event : source) earliest = event.time < earliest ? event.time : earliest;
    last_ = earliest;
    for (const Event& event : source) put(event);
    source.clear();
  }

  std::array<std::vector<Event>, kBuckets> buckets_;
  std::uint64_t occupied_ = 0;  // of buckets 1 to 64
  std::size_t next_due_ = 0;    // in bucket 0
  std::size_t size_ = 0;
  Picoseconds last_ = 0;
};

}  // namespace verbena::simnic
