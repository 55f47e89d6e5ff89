// Reports a run's progress while it goes on.
#pragma once

#include <functional>
#include <utility>

#include "rdma/base/time.h"
#include "workloads/measure/run_progress.h"
#include "workloads/measure/run_window.h"

namespace verbena::workloads {

/// Stores the progress of a run in a RunProgress and, now and then, its expected end. It does not
/// influence the run or its measurements. Belongs to the thread that runs all workers; where
/// workers have threads of their own, only the time is reported.
class RunForesight {
 public:
  /// `forecast` estimates the end from what happened until `now`; empty where only the time is
  /// reported.
  using Forecast = std::function<EndForecast(Nanoseconds now)>;

  /// All arguments must outlive this object.
  RunForesight(RunProgress& progress, const RunWindow& window, Forecast forecast)
      : progress_(progress), window_(window), forecast_(std::move(forecast)) {}

  /// To be called when workers begin.
  void begin();

  /// To be called when all workers have ended.
  void end() { progress_.enter(RunStage::kChecking); }

  /// Stores the time `now` since the workers' start.
  void pass(Nanoseconds now) {
    progress_.passed_ns().store(now.count(), std::memory_order_relaxed);
    if (now >= next_) foresee(now);
  }

 private:
  void foresee(Nanoseconds now);

  RunProgress& progress_;
  const RunWindow& window_;
  Forecast forecast_;
  Nanoseconds next_ = kNever;  // time of the next forecast
};

}  // namespace verbena::workloads
