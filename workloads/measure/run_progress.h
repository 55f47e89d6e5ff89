// How far a run is, for whoever watches it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::workloads {

/// Stages of a run, in their order.
enum class RunStage : std::uint8_t {
  kWaiting,        ///< it has not begun
  kLoading,        ///< nodes get their memory, tables and queue pairs
  kConnecting,     ///< queue pairs are connected
  kFillingCaches,  ///< of NICs and of the system, with what a long run would have left
  kWarmUp,
  kMeasuring,
  kChecking,  ///< transactions have ended; what they left is verified
  kEnded,
  kFailed,  ///< it ended without a result
};

/// A run at one moment. Times without a unit in their names are the fabric's, from the workers'
/// start on.
struct RunPosition {
  RunStage stage = RunStage::kWaiting;
  /// Part that is done of kLoading, kConnecting or kFillingCaches; from 0 to 1.
  double share = 0;
  Nanoseconds passed = 0;
  Nanoseconds expected = 0;        ///< when it is expected to end; 0: nobody knows yet
  Nanoseconds latest = 0;          ///< when it ends at the latest, as far as that is known; else 0
  double wall_seconds = 0;         ///< since it began; until its end, when it has ended
  double set_up_wall_seconds = 0;  ///< of these, until its workers started
  double work_wall_seconds = 0;    ///< of these, while its workers worked
};

/// How far one run is: written by the thread that makes the run, read by others, which may be those
/// of another process that shares the memory. All of it is lock-free. What a reader sees is at most
/// one step behind in some of its parts.
class RunProgress {
 public:
  /// The run comes to `stage`. Of kWarmUp and kMeasuring only the first is told, when the workers
  /// start: the other follows from the time.
  void enter(RunStage stage);
  /// So many of the nodes have what the stage gives them.
  void done(std::size_t nodes, std::size_t all) {
    share_.store(static_cast<double>(nodes) / static_cast<double>(all), std::memory_order_relaxed);
  }
  /// When it measures (kNever: nobody knows yet), the end that is expected, and the latest one. May
  /// be told again.
  void foresee(Nanoseconds measures_from, Nanoseconds expected, Nanoseconds latest);
  /// Where the time since the workers' start is stored, in nanoseconds.
  std::atomic<std::int64_t>& passed_ns() { return passed_ns_; }

  RunPosition read() const;

 private:
  static std::int64_t wall_ns() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }

  std::atomic<RunStage> stage_{RunStage::kWaiting};
  std::atomic<double> share_{0};
  std::atomic<std::int64_t> passed_ns_{0};
  std::atomic<std::int64_t> measures_from_ns_{kNever.count()};
  std::atomic<std::int64_t> expected_ns_{0};
  std::atomic<std::int64_t> latest_ns_{0};
  // Times of the machine's clock, which its processes share; 0: not yet.
  std::atomic<std::int64_t> began_ns_{0};
  std::atomic<std::int64_t> started_ns_{0};
  std::atomic<std::int64_t> finished_ns_{0};
  std::atomic<std::int64_t> ended_ns_{0};

  static_assert(std::atomic<RunStage>::is_always_lock_free);
  static_assert(std::atomic<double>::is_always_lock_free);
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
};

}  // namespace verbena::workloads
