// `verbena compare`, configured.
#pragma once

#include <cstdint>
#include <optional>

#include "experiments/config/keys/fabric_command.h"

namespace verbena::experiments {

struct CompareCommand : CommandOptions {
  std::uint32_t repeat = 1;
  std::optional<std::uint32_t> jobs;
  double tolerance_percent = 0;
  OutputOptions output;

  Keys keys() override;
  void check(const Said& said) override;
};

}  // namespace verbena::experiments
