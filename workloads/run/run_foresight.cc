// At growing times, as looks at what a run has measured are.
#include "workloads/run/run_foresight.h"

#include <algorithm>
#include <cstdint>

namespace verbena::workloads {
namespace {

/// Earlier there is too little to tell anything by.
constexpr Nanoseconds kFirst = 250 * kMicrosecond;

/// Each look is a tenth later than the one before.
constexpr std::int64_t kTenth = 10;

}  // namespace

void RunForesight::begin() {
  progress_.enter(RunStage::kWarmUp);
  if (window_.next_look() == kNever) {
    progress_.foresee(window_.from(), window_.until(), window_.until());
  } else if (forecast_) {
    next_ = kFirst;
  }
}

void RunForesight::foresee(Nanoseconds now) {
  const EndForecast end = forecast_(now);
  progress_.foresee(window_.measuring() ? window_.from() : kNever, end.expected, end.latest);
  next_ = window_.next_look() == kNever ? kNever : now + std::max(now / kTenth, kMicrosecond);
}

}  // namespace verbena::workloads
