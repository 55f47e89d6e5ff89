// Lock of one record, as an attempt holds it.
#pragma once

#include <cassert>
#include <cstdint>

namespace verbena::txn::occ {

/// Tracks the lock; taking it twice or releasing it unheld fails an assertion. Belongs to its
/// fiber.
class HeldLock {
 public:
  enum class How : std::uint8_t {
    kNone,
    kHeld,
    kHeldSinceAdded,  ///< this node's CPU locked the record before anybody else could find it
  };

  How how() const { return how_; }
  bool held() const { return how_ != How::kNone; }

  void take(How how) {
    assert(!held() && how != How::kNone);
    how_ = how;
  }
  /// Notes that the lock was released, or that the releasing request is in flight.
  void release() {
    assert(held());
    how_ = How::kNone;
  }

  /// Memory for the lock word that a compare-and-swap finds.
  std::uint64_t& found_word() { return found_word_; }

 private:
  How how_ = How::kNone;
  std::uint64_t found_word_ = 0;
};

}  // namespace verbena::txn::occ
