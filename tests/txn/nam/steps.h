// The order in which fibers do what they do.
#pragma once

#include <atomic>

#include "txn/transaction.h"

namespace verbena::testing {

/// One fiber goes on when another has come to a step.
class Steps {
 public:
  void reach(int step) { reached_ = step; }
  void await(txn::Transaction& transaction, int step) const {
    while (reached_ < step) transaction.wait(kMicrosecond);
  }

 private:
  std::atomic<int> reached_ = 0;
};

}  // namespace verbena::testing
