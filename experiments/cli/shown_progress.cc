// A series of one point.
#include "experiments/cli/shown_progress.h"

#include "experiments/points/points_progress.h"

namespace verbena::experiments {

ShownProgress::ShownProgress(const std::string& what, const MeasuringCommand& command) {
  workloads::RunProgress* const asked = command.common().progress;
  told_ = asked != nullptr ? asked : &own_;
  if (asked != nullptr) return;
  const auto source = [this, cost = cost_of(command)] {
    return run_progress_text({.cost = cost, .position = own_.read()});
  };
  shown_.emplace(what, source, command.common().output.progress);
}

}  // namespace verbena::experiments
