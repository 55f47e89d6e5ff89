// Progress of a run, for observers.
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
  kFillingCaches,  ///< caches of NICs and of the system get the state of a long run
  kWarmUp,
  kMeasuring,
  kChecking,  ///< transactions have ended; the data is verified
  kEnded,
  kFailed,  ///< it ended without a result
};

/// Progress of a run at one moment. Times without a unit in their names are the fabric's, from the
/// workers' start on.
struct RunPosition {
  RunStage stage = RunStage::kWaiting;
  /// Done part of kLoading, kConnecting or kFillingCaches, from 0 to 1.
  double share = 0;
  Nanoseconds passed = 0;
  Nanoseconds expected = 0;        ///< expected end; 0: unknown yet
  Nanoseconds latest = 0;          ///< latest end; 0: unknown
  double wall_seconds = 0;         ///< since its begin, up to its end if it has ended
  double set_up_wall_seconds = 0;  ///< up to the workers' start
  double work_wall_seconds = 0;    ///< while workers work
};

/// Progress of one run. The thread that makes the run writes it; others read it, possibly in
/// another process that shares the memory. Lock-free. A reader may see some members one update
/// late.
class RunProgress {
 public:
  /// Enters `stage`. Between kWarmUp and kMeasuring call it only for kWarmUp, when the workers
  /// start; kMeasuring follows from the time.
  void enter(RunStage stage);
  /// Tells that `nodes` of `all` nodes have completed the stage.
  void done(std::size_t nodes, std::size_t all) {
    share_.store(static_cast<double>(nodes) / static_cast<double>(all), std::memory_order_relaxed);
  }
  /// Tells the begin of measuring (kNever: unknown yet), the expected end, and the latest end. May
  /// be called again.
  void foresee(Nanoseconds measures_from, Nanoseconds expected, Nanoseconds latest);
  /// Time since the workers' start in nanoseconds, to be stored by the run.
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
  // Times of the machine's clock, which all its processes share; 0: not yet.
  std::atomic<std::int64_t> began_ns_{0};
  std::atomic<std::int64_t> started_ns_{0};
  std::atomic<std::int64_t> finished_ns_{0};
  std::atomic<std::int64_t> ended_ns_{0};

  static_assert(std::atomic<RunStage>::is_always_lock_free);
  static_assert(std::atomic<double>::is_always_lock_free);
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
};

}  // namespace verbena::workloads
