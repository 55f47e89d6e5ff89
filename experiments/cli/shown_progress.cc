// A series of one point.
#include "experiments/cli/shown_progress.h"

#include "experiments/points/points_progress.h"

namespace verbena::experiments {

ShownProgress::ShownProgress(const std::string& what, const RunCommand& command) {
  begin(what, command);
}

ShownProgress::ShownProgress(const std::string& what, const BenchCommand& command) {
  begin(what, command);
}

template <typename Command>
void ShownProgress::begin(const std::string& what, const Command& command) {
  told_ = command.progress != nullptr ? command.progress : &own_;
  if (command.progress != nullptr) return;
  const auto source = [this, cost = cost_of(MeasuringCommand(command))] {
    return run_progress_text({.cost = cost, .position = own_.read()});
  };
  shown_.emplace(what, source, command.output.progress);
}

}  // namespace verbena::experiments
