// Time that requests of a queue pair wait for those in front of them.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// Counts the requests of a queue pair that wait for operations of PRISM before them, and for how
/// long. Belongs to one node.
class OrderWaits {
 public:
  /// One more waits, from `now` on.
  void begin(Picoseconds now) {
    advance(now);
    ++waiting_;
  }
  /// `count` of them wait no longer.
  void end(Picoseconds now, std::uint32_t count = 1) {
    advance(now);
    waiting_ -= count;
  }
  std::uint32_t waiting() const { return waiting_; }
  /// True if any request has had to wait its turn, if only for no time.
  bool used() const { return since_ != 0; }

  /// Returns the time until `now` in which any waited.
  Picoseconds busy(Picoseconds now) const { return busy_ + (waiting_ == 0 ? 0 : now - since_); }
  /// Returns the waits until `now`, summed over all.
  Picoseconds waited(Picoseconds now) const { return waited_ + waiting_ * (now - since_); }

 private:
  void advance(Picoseconds now) {
    busy_ = busy(now);
    waited_ = waited(now);
    since_ = now;
  }

  Picoseconds busy_ = 0;
  Picoseconds waited_ = 0;
  Picoseconds since_ = 0;
  std::uint32_t waiting_ = 0;
};

}  // namespace verbena::simnic
