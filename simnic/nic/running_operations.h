// Operations of PRISM that a NIC is carrying out.
#pragma once

#include <cstdint>
#include <deque>

#include "rdma/chain/operation_epochs.h"

namespace verbena::simnic {

/// Numbers the operations of a NIC in the order in which they begin, so that a buffer that is given
/// back is used again when all operations then in flight have ended (PRISM paper, section 4.2).
class RunningOperations final : public rdma::Epochs {
 public:
  /// Returns the number of an operation that begins.
  std::uint64_t begin() {
    ended_.push_back(false);
    return oldest_ + ended_.size() - 1;
  }
  void end(std::uint64_t number) {
    ended_[number - oldest_] = true;
    for (; !ended_.empty() && ended_.front(); ++oldest_) ended_.pop_front();
  }

  /// Number of operations that have begun.
  std::uint64_t begun() const { return oldest_ + ended_.size(); }
  /// Number of the oldest that runs; begun() if none does.
  std::uint64_t oldest() const { return oldest_; }

  InFlight now() const override {
    if (ended_.empty()) return {};
    return {{0, oldest_ + ended_.size()}};
  }
  bool over(InFlight& in_flight) const override {
    if (!in_flight.empty() && oldest_ >= in_flight.front().second) in_flight.clear();
    return in_flight.empty();
  }

 private:
  std::deque<bool> ended_;  // of the oldest that runs, and those that began after it
  std::uint64_t oldest_ = 0;
};

}  // namespace verbena::simnic
