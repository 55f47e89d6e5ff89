// The queue of a node's events: a monotone radix heap.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// Kinds of events. `TimedEvent::index` names the object that an event is about.
enum class EventKind : std::uint8_t {
  kCoreCaughtUp,    ///< index: core; the engine has reached the core's local clock
  kCoreTimer,       ///< index: core; a deadline of idle
  kCoreWake,        ///< index: core; another core's wake
  kDoorbell,        ///< index: request, the first that the doorbell announces
  kRetry,           ///< index: request; the requester sends again
  kRequestArrives,  ///< index: packet; at the responder's NIC
  kMemoryEffect,    ///< index: packet; at the responder's memory
  kMemoryLine,      ///< index: packet; one cache line of its memory access (chaos)
  kAnswerArrives,   ///< index: packet; at the requester's NIC
  kChainStep,       ///< index: packet; the next step of an operation of PRISM at the responder
};

/// One event, small so that moving it is cheap. The tag of a packet is 0, or 1 + the number of the
/// node that it comes from, if that is another one; that of a request is its generation.
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
  /// Place among events of the same time, see EventQueue.
  std::uint32_t order() const { return kind() >= EventKind::kRequestArrives ? tag() : 0; }
  bool before(const TimedEvent& other) const {
    return time != other.time ? time < other.time : order() < other.order();
  }
};
static_assert(sizeof(TimedEvent) == 16);

/// Events in the order in which they were added. A vector whose `add` is short enough to be inlined
/// wherever events are scheduled.
class EventList {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  TimedEvent* data() { return events_.get(); }
  const TimedEvent* begin() const { return events_.get(); }
  const TimedEvent* end() const { return events_.get() + size_; }
  TimedEvent& operator[](std::size_t place) { return events_[place]; }
  const TimedEvent& operator[](std::size_t place) const { return events_[place]; }

  void add(TimedEvent event) {
    if (size_ == capacity_) return add_to_larger(event);
    events_[size_++] = event;
  }
  void clear() { size_ = 0; }
  /// Resizes to `events`, whose content is to be written anew.
  TimedEvent* resize(std::size_t events) {
    while (capacity_ < events) grow();
    size_ = static_cast<std::uint32_t>(events);
    return events_.get();
  }
  void swap(EventList& other) {
    events_.swap(other.events_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  [[gnu::noinline]] void add_to_larger(TimedEvent event) {
    grow();
    events_[size_++] = event;
  }
  void grow() {
    const std::uint32_t capacity = std::max<std::uint32_t>(16, 2 * capacity_);
    auto larger = std::make_unique<TimedEvent[]>(capacity);
    std::copy(begin(), end(), larger.get());
    events_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<TimedEvent[]> events_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

/// A radix heap: an event waits in the bucket of the highest digit in which its time differs from a
/// reference, which is no later than any time in the queue. The earliest bucket is sorted when it
/// is small, and becomes the run of events that are taken next; when it is large, it is first
/// spread over lower buckets. One digit is much longer than the others: it covers the times as far
/// as a simulation looks ahead, so that most events go to their last bucket at once. Times pushed
/// must not lie before the time that was taken last.
///
/// Orders events of equal time by their node: first the queue's own, then those of other nodes by
/// number; those of one node stay in the order in which they were pushed. So the order does not
/// depend on when other nodes' events are handed over.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  [[gnu::noinline]] void push(TimedEvent event) {
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
    return take();
  }

  /// Takes the earliest event into `event` if it comes before `end`; returns false otherwise.
  bool pop_before(Picoseconds end, TimedEvent& event) {
    while (next_ == run_.size()) {
      // Times may still be pushed that lie before the bucket.
      if (!bucket_begins_before(end)) return false;
      refill();
    }
    if (run_[next_].time >= end) return false;
    event = take();
    return true;
  }

  /// Returns the time of the earliest event; kNeverPs if there is none.
  Picoseconds next_time() const {
    if (next_ < run_.size()) return run_[next_].time;
    if (size_ == 0) return kNeverPs;
    Picoseconds first = kNeverPs;
    for (const TimedEvent& event : buckets_[first_bucket()]) first = std::min(first, event.time);
    return first;
  }

  /// Returns the event that is taken after `distance` others, unless earlier ones are pushed; null
  /// when that is not known yet.
  const TimedEvent* ahead(std::size_t distance) const {
    return next_ + distance < run_.size() ? &run_[next_ + distance] : nullptr;
  }

  /// True if the event taken last was the first of a run.
  bool run_began() const { return next_ == 1; }

  /// Returns the events of the run after this one, in no order; empty when they are too many for
  /// one.
  std::span<const TimedEvent> next_run() const {
    if (summary_ == 0) return {};
    const EventList& bucket = buckets_[first_bucket()];
    if (bucket.size() > kLongestRun) return {};
    return {bucket.begin(), bucket.size()};
  }

 private:
  /// A digit of times, and its buckets.
  struct Digit {
    unsigned shift;          ///< number of bits below it
    unsigned bits;           ///< number of its own bits
    std::size_t buckets_at;  ///< its first bucket
  };
  static constexpr std::size_t kDigits = 9;
  static constexpr std::size_t kLongDigit = 2;  ///< covers 512 times 33 ns
  static constexpr std::array<unsigned, kDigits> kBits = {7, 8, 9, 7, 7, 7, 7, 7, 5};
  static constexpr std::array<Digit, kDigits> kDigit = [] {
    std::array<Digit, kDigits> digits{};
    Digit next{0, 0, 0};
    for (std::size_t i = 0; i < kDigits; ++i) {
      next.bits = kBits[i];
      digits[i] = next;
      next.shift += next.bits;
      next.buckets_at += std::size_t{1} << next.bits;
    }
    return digits;
  }();
  static constexpr std::size_t kBuckets =
      kDigit.back().buckets_at + (std::size_t{1} << kDigit.back().bits);
  static constexpr std::size_t kWords = (kBuckets + 63) / 64;
  static_assert(kWords <= 64);
  /// Number of the digit that each bit belongs to.
  static constexpr std::array<std::uint8_t, 64> kDigitOfBit = [] {
    std::array<std::uint8_t, 64> digit_of{};
    for (std::size_t i = 0; i < kDigits; ++i) {
      for (unsigned bit = 0; bit < kDigit[i].bits; ++bit) {
        digit_of[kDigit[i].shift + bit] = static_cast<std::uint8_t>(i);
      }
    }
    return digit_of;
  }();
  static_assert(kDigit.back().shift + kDigit.back().bits == 64);
  static constexpr std::size_t kLongestRun = 64;
  static constexpr unsigned kPlaceBits = 6;  ///< bits of a place in a bucket that becomes a run
  static constexpr std::size_t kBlock = 8;   ///< events whose places are counted at once

  TimedEvent take() {
    const TimedEvent event = run_[next_++];
    now_ = event.time;
    --size_;
    return event;
  }

  void put(TimedEvent event) {
    const std::size_t number = bucket_of(static_cast<std::uint64_t>(event.time.count()));
    EventList& bucket = buckets_[number];
    if (bucket.empty()) return open(number, event);
    bucket.add(event);
  }

  std::size_t bucket_of(std::uint64_t time) const {
    constexpr Digit kLong = kDigit[kLongDigit];
    const std::uint64_t difference = time ^ static_cast<std::uint64_t>(reference_.count());
    // It is mostly the long digit, for which the compiler knows all constants.
    const std::uint64_t place = difference >> kLong.shift;
    if (place != 0 && place >> kLong.bits == 0) return bucket_of(time, kLong);
    const auto highest = static_cast<std::size_t>(std::bit_width(difference | 1)) - 1;
    return bucket_of(time, kDigit[kDigitOfBit[highest]]);
  }
  static std::size_t bucket_of(std::uint64_t time, const Digit& digit) {
    return digit.buckets_at + (time >> digit.shift & ((std::uint64_t{1} << digit.bits) - 1));
  }

  /// Adds the first event of bucket `number`. Storage moves from bucket to bucket, the last used
  /// first, so that it stays in the processor's caches.
  [[gnu::noinline]] void open(std::size_t number, TimedEvent event) {
    words_[number / 64] |= std::uint64_t{1} << number % 64;
    summary_ |= std::uint64_t{1} << number / 64;
    EventList& bucket = buckets_[number];
    if (!spare_.empty()) {
      bucket.swap(spare_.back());
      spare_.pop_back();
    }
    bucket.add(event);
  }
  /// Empties bucket `number`, the first of all.
  void close(std::size_t number) {
    EventList& bucket = buckets_[number];
    bucket.clear();
    spare_.emplace_back().swap(bucket);
  }

  /// Returns the earliest bucket that is not empty; buckets lie in the order of their times.
  std::size_t first_bucket() const {
    const auto word = static_cast<std::size_t>(std::countr_zero(summary_));
    return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
  }
  /// True if the earliest bucket has an event before `end`. Mostly all are.
  bool bucket_begins_before(Picoseconds end) const {
    return summary_ != 0 && (buckets_[first_bucket()][0].time < end || next_time() < end);
  }

  static std::size_t level_of(std::size_t number) {
    std::size_t level = 0;
    while (level + 1 < kDigits && number >= kDigit[level + 1].buckets_at) ++level;
    return level;
  }

  /// Adds an event to the run, behind those that it does not precede.
  [[gnu::noinline]] void insert(TimedEvent event) {
    run_.add(event);
    sink(run_.size() - 1);
  }

  /// Moves the event at `place` of the run before those that it precedes.
  void sink(std::size_t place) {
    TimedEvent* at = run_.data() + place;
    TimedEvent* const begin = run_.data() + next_;
    const TimedEvent event = *at;
    for (; at != begin && event.before(at[-1]); --at) *at = at[-1];
    *at = event;
  }

  /// Makes the earliest bucket the run, or spreads it over lower buckets.
  void refill() {
    const std::size_t number = first_bucket();
    words_[number / 64] &= words_[number / 64] - 1;
    if (words_[number / 64] == 0) summary_ &= summary_ - 1;
    const std::size_t level = level_of(number);
    EventList& bucket = buckets_[number];
    // Times that belong to the bucket: `width` many, from `first`.
    const std::uint64_t width = std::uint64_t{1} << kDigit[level].shift;
    const std::uint64_t first = static_cast<std::uint64_t>(bucket[0].time.count()) & ~(width - 1);
    reference_ = Picoseconds(first);
    // A run over a long time would have to be kept sorted against most events to come.
    if (level > kLongDigit || (level > 0 && bucket.size() > kLongestRun)) {
      // Every event goes to a lower level, so none returns to this bucket.
      for (const TimedEvent& event : bucket) put(event);
      close(number);
      return;
    }
    run_end_ = Picoseconds(first + (width - 1));
    next_ = 0;
    run_.clear();
    if (bucket.size() <= kLongestRun && kDigit[level].shift + kPlaceBits < 32) {
      add_sorted(bucket);
    } else {
      for (const TimedEvent& event : bucket) insert(event);
    }
    close(number);
  }

  using Keys = std::array<std::int32_t, kLongestRun + kBlock>;
  using Places = std::array<std::int32_t, kBlock>;
  /// Returns how many of the first `events` keys precede each of those from `block` on.
  static Places count_before(const Keys& keys, std::size_t events, std::size_t block) {
    // Two halves, which the compiler keeps in registers.
    constexpr std::size_t kHalf = kBlock / 2;
    std::array<std::int32_t, kHalf> low{};
    std::array<std::int32_t, kHalf> high{};
    for (std::size_t j = 0; j < events; ++j) {
      for (std::size_t i = 0; i < kHalf; ++i) low[i] += keys[j] < keys[block + i] ? 1 : 0;
      for (std::size_t i = 0; i < kHalf; ++i) high[i] += keys[j] < keys[block + kHalf + i] ? 1 : 0;
    }
    Places before;
    std::copy(low.begin(), low.end(), before.begin());
    std::copy(high.begin(), high.end(), before.begin() + kHalf);
    return before;
  }

  /// Makes the events of `bucket` the run. The place of each is the number of events before it,
  /// counted without branches: no processor can predict which of two events comes first, and a
  /// wrong guess costs more than comparing all with all.
  void add_sorted(const EventList& bucket) {
    const std::size_t events = bucket.size();
    Keys keys;
    for (std::size_t i = 0; i < events; ++i) {
      // Events of equal time keep their order.
      const Picoseconds distance = bucket[i].time - reference_;
      keys[i] =
          static_cast<std::int32_t>(distance.count() << kPlaceBits | static_cast<std::int64_t>(i));
    }
    std::fill_n(keys.begin() + events, kBlock, 0);  // read with the last block
    TimedEvent* const sorted = run_.resize(events);
    for (std::size_t block = 0; block < events; block += kBlock) {
      const Places before = count_before(keys, events, block);
      const std::size_t last = std::min(events - block, kBlock);
      for (std::size_t i = 0; i < last; ++i) {
        sorted[static_cast<std::size_t>(before[i])] = bucket[block + i];
      }
    }
    for (std::size_t i = 1; i < events; ++i) {
      if (sorted[i].time == sorted[i - 1].time) [[unlikely]]
        sink(i);
    }
  }

  EventList run_;  ///< all events up to run_end_, from `next_` on in order
  std::size_t next_ = 0;
  Picoseconds run_end_{-1};
  std::size_t size_ = 0;
  Picoseconds reference_ = 0;
  Picoseconds now_ = 0;
  std::uint64_t summary_ = 0;                  ///< bit i: word i is not 0
  std::array<std::uint64_t, kWords> words_{};  ///< bit i: bucket i is not empty
  std::vector<EventList> spare_;               ///< empty lists, for their storage
  std::vector<EventList> buckets_ = std::vector<EventList>(kBuckets);
};

}  // namespace verbena::simnic
