// The order in which things happen in a run.
#pragma once

#include <atomic>
#include <cstdint>

namespace verbena::txn {

/// A place in that order. No two things share one, as they may share a time.
using Moment = std::uint64_t;

inline constexpr Moment kBeforeAll = 0;
inline constexpr Moment kAfterAll = UINT64_MAX;

/// Gives a node's clients moments, each greater than all that this node had and has seen of others.
class MomentSource {
 public:
  virtual ~MomentSource() = default;
  virtual Moment next() = 0;
};

/// A logical clock of all threads of a process, whatever their nodes. Thread-safe.
class CountedMoments final : public MomentSource {
 public:
  explicit CountedMoments(Moment first = kBeforeAll) : last_(first) {}
  Moment next() override { return ++last_; }

 private:
  std::atomic<Moment> last_;
};

}  // namespace verbena::txn
