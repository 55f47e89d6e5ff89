// News of a run while it goes on.
#pragma once

#include <functional>
#include <utility>

#include "rdma/base/time.h"
#include "workloads/measure/run_progress.h"
#include "workloads/measure/run_window.h"

namespace verbena::workloads {

/// Tells a RunProgress where the run is and, now and then, when it will end. Changes nothing of the
/// run: what happens, and what is measured, is the same without it. Belongs to the thread that
/// runs all workers; where they have threads of their own only the time is told.
class RunForesight {
 public:
  /// `forecast` looks at what has happened until `now`; empty where only the time is told.
  using Forecast = std::function<EndForecast(Nanoseconds now)>;

  /// All must outlive it.
  RunForesight(RunProgress& progress, const RunWindow& window, Forecast forecast)
      : progress_(progress), window_(window), forecast_(std::move(forecast)) {}

  /// Workers begin.
  void begin();

  /// All of them have ended.
  void end() { progress_.enter(RunStage::kChecking); }

  /// So much time has passed since the workers' start.
  void pass(Nanoseconds now) {
    progress_.passed_ns().store(now.count(), std::memory_order_relaxed);
    if (now >= next_) foresee(now);
  }

 private:
  void foresee(Nanoseconds now);

  RunProgress& progress_;
  const RunWindow& window_;
  Forecast forecast_;
  Nanoseconds next_ = kNever;  // when it looks again
};

}  // namespace verbena::workloads
