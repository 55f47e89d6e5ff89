// The command of one point.
#pragma once

#include <utility>
#include <variant>

#include "experiments/config/commands/registry.h"

namespace verbena::experiments {

/// A command that makes one measurement, as a bench or a run.
class MeasuringCommand {
 public:
  explicit MeasuringCommand(AnyCommand command) : command_(std::move(command)) {}

  /// Options that bench and run have in common.
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
