// How far a single run or bench is, told to whoever wants to know.
#pragma once

#include <optional>
#include <string>

#include "experiments/points/measuring_command.h"
#include "experiments/report/progress.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Where a run tells how far it is: the place that its command names, or one of its own, which is
/// shown on standard error as Progress has it.
class ShownProgress {
 public:
  ShownProgress(const std::string& what, const MeasuringCommand& command);

  workloads::RunProgress& told() const { return *told_; }

 private:
  workloads::RunProgress own_;
  workloads::RunProgress* told_ = nullptr;
  std::optional<Progress> shown_;  // last, so that it ends first
};

}  // namespace verbena::experiments
