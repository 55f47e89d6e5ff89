// The command of one point.
#pragma once

#include <utility>
#include <variant>

#include "experiments/config/commands/registry.h"

namespace verbena::experiments {

/// Command that is run for a point: a bench or a run that makes one measurement.
class MeasuringCommand {
 public:
  explicit MeasuringCommand(AnyCommand command) : command_(std::move(command)) {}

  /// Options that both kinds have.
  const FabricCommand& common() const {
    const auto* run = std::get_if<RunCommand>(&command_);
    return run != nullptr ? static_cast<const FabricCommand&>(*run)
                          : std::get<BenchCommand>(command_);
  }
  const ConfigurationRecord& record() const { return common().record; }
  const BenchCommand* bench() const { return std::get_if<BenchCommand>(&command_); }
  const RunCommand* run() const { return std::get_if<RunCommand>(&command_); }

 private:
  AnyCommand command_;
};

}  // namespace verbena::experiments
