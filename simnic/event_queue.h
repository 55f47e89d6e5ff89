// The queue of a simulation's events: a monotone radix heap, first in first out among equal times.
#pragma once

#include <algorithm>
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

/// What happens when an event is due. `TimedEvent::index` names the object.
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
struct TimedEvent {
  Picoseconds time;
  std::uint32_t index;
  std::uint32_t tag_and_kind;

  static constexpr std::uint32_t kTagMask = 0xff'ffff;

  static TimedEvent make(Picoseconds time, EventKind kind, std::uint32_t index, std::uint32_t tag) {
    return TimedEvent{time, index, (tag & kTagMask) << 8 | static_cast<std::uint32_t>(kind)};
  }
  EventKind kind() const { return static_cast<EventKind>(tag_and_kind & 0xff); }
  std::uint32_t tag() const { return tag_and_kind >> 8; }
};
static_assert(sizeof(TimedEvent) == 16);

/// A radix heap with digits of six bits: an event waits in the bucket of the highest digit in which
/// its time differs from a reference, which lies at or before every time in the queue. The earliest
/// bucket, when it is small, is sorted and becomes the run of events that are taken next; when it
/// is large, it is first spread over lower buckets. So an event is moved about three times, mostly
/// by appending. Events of equal time leave in the order in which they were pushed. Times pushed
/// must not lie before the time that was taken last.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const TimedEvent& event) {
    assert(event.time >= now_);
    ++size_;
    if (event.time <= run_end_) {
      insert(event);
    } else {
      put(event);
    }
  }

  /// Takes the earliest event. The queue must not be empty.
  TimedEvent pop() {
    assert(size_ > 0);
    while (next_ == run_.size()) refill();
    const TimedEvent event = run_[next_++];
    now_ = event.time;
    --size_;
    return event;
  }

  /// The event that will be taken after `distance` others if nothing earlier is pushed; null when
  /// that is not known yet.
  const TimedEvent* ahead(std::size_t distance) const {
    return next_ + distance < run_.size() ? &run_[next_ + distance] : nullptr;
  }

 private:
  using Bucket = std::vector<TimedEvent>;
  static constexpr std::size_t kDigitBits = 6;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr std::size_t kLevels = (64 + kDigitBits - 1) / kDigitBits;
  static constexpr std::size_t kLongestRun = 64;

  void put(const TimedEvent& event) {
    const auto time = static_cast<std::uint64_t>(event.time);
    const std::uint64_t difference = time ^ static_cast<std::uint64_t>(reference_);
    const std::size_t level =
        static_cast<std::size_t>(std::bit_width(difference | 1) - 1) / kDigitBits;
    const std::size_t digit = time >> (level * kDigitBits) & (kDigits - 1);
    buckets_[level * kDigits + digit].push_back(event);
    digits_[level] |= std::uint64_t{1} << digit;
    levels_ |= 1U << level;
  }

  /// Into the run, behind those of the same time.
  void insert(const TimedEvent& event) {
    run_.push_back(event);
    sink(run_.size() - 1);
  }

  /// Moves the event at `place` of the run before those that are later.
  void sink(std::size_t place) {
    TimedEvent* at = run_.data() + place;
    TimedEvent* const begin = run_.data() + next_;
    const TimedEvent event = *at;
    for (; at != begin && at[-1].time > event.time; --at) *at = at[-1];
    *at = event;
  }

  /// Makes the earliest bucket the run, or spreads it.
  void refill() {
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    const auto digit = static_cast<std::size_t>(std::countr_zero(digits_[level]));
    Bucket& bucket = buckets_[level * kDigits + digit];
    digits_[level] &= ~(std::uint64_t{1} << digit);
    if (digits_[level] == 0) levels_ &= ~(1U << level);
    // Times that belong to the bucket: from `first`, `width` many.
    const std::uint64_t width = std::uint64_t{1} << (level * kDigitBits);
    const std::uint64_t first = static_cast<std::uint64_t>(bucket[0].time) & ~(width - 1);
    reference_ = static_cast<Picoseconds>(first);
    if (level > 0 && bucket.size() > kLongestRun) {
      // Every event goes to a lower level, so never back into this bucket.
      for (const TimedEvent& event : bucket) put(event);
      bucket.clear();
      return;
    }
    run_.clear();
    next_ = 0;
    run_.swap(bucket);
    run_end_ = static_cast<Picoseconds>(first + (width - 1));
    // Events were mostly pushed in the order of their times.
    for (std::size_t place = 1; place < run_.size(); ++place) sink(place);
  }

  std::vector<TimedEvent> run_;  ///< all events up to run_end_, from `next_` on in order
  std::size_t next_ = 0;
  Picoseconds run_end_ = -1;
  std::array<Bucket, kLevels * kDigits> buckets_;
  std::array<std::uint64_t, kLevels> digits_{};  ///< which buckets of a level hold something
  std::uint32_t levels_ = 0;                     ///< which levels hold something
  std::size_t size_ = 0;
  Picoseconds reference_ = 0;
  Picoseconds now_ = 0;
};

}  // namespace verbena::simnic
