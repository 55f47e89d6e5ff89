// `verbena compare`, configured.
#pragma once

#include <cstdint>
#include <optional>

#include "experiments/config/keys/fabric_command.h"

namespace verbena::experiments {

/// Options of a comparison.
struct CompareCommand : CommandOptions {
  std::uint32_t repeat = 1;           ///< runs of each point of a side that is measured
  std::optional<std::uint32_t> jobs;  ///< measurements at once; nothing: as many as fit
  double tolerance_percent = 0;       ///< by which the second side may be worse than the first
  OutputOptions output;

  Keys keys() override;
  void check(const Said& said) override;
};

}  // namespace verbena::experiments
