// Progress of a single run or bench, shown to its user.
#pragma once

#include <optional>
#include <string>

#include "experiments/points/measuring_command.h"
#include "experiments/report/progress.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// The place where a run stores its progress: the one that its command names, or one of its own,
/// which Progress shows on standard error.
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
