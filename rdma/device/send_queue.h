// Slots of a queue pair's send queue that are taken, and requests that have to be signaled.
#pragma once

#include <cassert>
#include <cstdint>

namespace verbena::rdma {

/// Numbers of the requests of a send queue whose depth its user knows. Verbs frees the slots of a
/// send queue only when a completion is polled, and the completion of a signaled request covers all
/// requests before it. Requests are numbered from 0, modulo 2^32.
class SendNumbers {
 public:
  std::uint32_t room(std::uint32_t depth) const { return depth - (posted_ - completed_); }

  /// True if the next request has to be signaled whatever its poster wants, so that at least every
  /// `interval`-th is.
  bool signal_due(std::uint32_t interval) const { return unsignaled_ + 1U >= interval; }

  /// Takes a slot, for which there must be room. Returns the request's number.
  std::uint32_t post(bool signaled) {
    unsignaled_ = signaled ? 0 : static_cast<std::uint16_t>(unsignaled_ + 1);
    return posted_++;
  }

  /// Takes back the last `count` requests, which failed to be posted. The next one must be
  /// signaled.
  void take_back(std::uint32_t count) {
    assert(count <= posted_ - completed_);
    posted_ -= count;
    unsignaled_ = UINT16_MAX;
  }

  /// Takes a completion of the request whose number ends in `low_bits`: frees its slot and all
  /// before it.
  void complete(std::uint16_t low_bits) {
    const auto newly = static_cast<std::uint16_t>(low_bits + 1U - completed_);
    assert(newly <= posted_ - completed_);
    completed_ += newly;
  }

  /// True if a polled completion covers request `number`.
  bool covered(std::uint32_t number) const {
    return static_cast<std::int32_t>(number - completed_) < 0;
  }

  /// True if request `number` has been posted.
  bool taken(std::uint32_t number) const { return static_cast<std::int32_t>(number - posted_) < 0; }

  std::uint32_t posted() const { return posted_; }
  std::uint32_t completed() const { return completed_; }
  bool empty() const { return posted_ == completed_; }
  /// True if the last requests get no completion unless more is posted.
  bool tail_unsignaled() const { return unsignaled_ > 0 && !empty(); }

 private:
  std::uint32_t posted_ = 0;
  std::uint32_t completed_ = 0;
  std::uint16_t unsignaled_ = 0;  // the largest: the next request must be signaled
};

/// A send queue. At least every signal_interval-th request is signaled, at most depth / 2 apart, so
/// that a full queue always has a completion to come.
class SendQueue : public SendNumbers {
 public:
  SendQueue(std::uint32_t depth, std::uint32_t signal_interval)
      : depth_(static_cast<std::uint16_t>(depth)),
        signal_interval_(static_cast<std::uint16_t>(signal_interval)) {}

  std::uint32_t room() const { return SendNumbers::room(depth_); }
  bool signal_due() const { return SendNumbers::signal_due(signal_interval_); }
  std::uint32_t post(bool signaled) {
    assert(room() > 0);
    return SendNumbers::post(signaled);
  }

 private:
  std::uint16_t depth_;
  std::uint16_t signal_interval_;
};

/// Depth of the deepest send queue, since requests are recognized by the low 16 bits of numbers.
inline constexpr std::uint32_t kMaxSendQueueDepth = 16384;

}  // namespace verbena::rdma
