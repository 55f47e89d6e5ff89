// The order in which things happen in a run.
#pragma once

#include <atomic>
#include <cstdint>

namespace verbena::txn {

/// A place in that order. No two things share one, as they may share a time.
using Moment = std::uint64_t;

inline constexpr Moment kBeforeAll = 0;
inline constexpr Moment kAfterAll = UINT64_MAX;

/// Gives moments: a logical clock of all threads of a process. What was given first, and everything
/// that its thread had seen by then, came before what is given later. Thread-safe.
class MomentSource {
 public:
  Moment next() { return ++last_; }

 private:
  std::atomic<Moment> last_ = kBeforeAll;
};

}  // namespace verbena::txn
