// A connection's state between the operations of a chain.
#pragma once

#include <cstddef>

#include "rdma/chain/operation.h"

namespace verbena::rdma {

/// Decides which operations of a chain run (PRISM paper, section 3.4). A skipped operation counts
/// as unsuccessful, so those that are conditional on it are skipped as well; behind an error
/// nothing runs.
class ChainState {
 public:
  /// Fills the scratch with bytes that no application can mean, since its content is undefined.
  ChainState() { scratch_.fill(std::byte{0xa5}); }

  /// Returns true when `operation` is to be carried out. Otherwise it has ended, with outcome().
  bool begin(const Operation& operation) {
    if (is_error(outcome_)) {
      outcome_ = ChainOutcome::kFlushed;
      return false;
    }
    if (!operation.conditional || successful(outcome_)) return true;
    outcome_ = ChainOutcome::kSkipped;
    return false;
  }

  /// Records how the operation that was begun has ended.
  void end(ChainOutcome outcome) { outcome_ = outcome; }

  /// Returns how the last operation ended.
  ChainOutcome outcome() const { return outcome_; }

  Scratch& scratch() { return scratch_; }

 private:
  ChainOutcome outcome_ = ChainOutcome::kDone;
  Scratch scratch_;
};

}  // namespace verbena::rdma
