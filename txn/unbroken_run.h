// Numbers 1, 2, ... that have come, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace verbena::txn {

/// Remembers numbers up to the first that is missing as one, so it is small where they come nearly
/// in order. Not thread-safe.
class UnbrokenRun {
 public:
  /// False: `number` had come before.
  bool add(std::uint32_t number) {
    if (number <= end_) return false;
    const std::size_t ahead = number - end_ - 1;
    if (ahead >= beyond_.size()) beyond_.resize(ahead + 1);
    if (beyond_[ahead]) return false;
    beyond_[ahead] = true;
    for (; !beyond_.empty() && beyond_.front(); ++end_) beyond_.pop_front();
    return true;
  }

  /// The last before which none is missing; 0: there is none.
  std::uint32_t end() const { return end_; }

 private:
  std::uint32_t end_ = 0;
  std::deque<bool> beyond_;
};

}  // namespace verbena::txn
