// Settings of a hunt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/keys/command_options.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

struct HuntedSeeds {
  std::optional<std::uint64_t> first;  ///< nothing: as is said elsewhere
  std::uint64_t count = 1;
};

/// "1000", or "5001..6000" with both included; nothing when `text` is something else.
std::optional<HuntedSeeds> parse_seeds(const std::string& text);

/// Bound to members of `command`.
std::vector<Parameter> hunt_parameters(HuntCommand& command);

}  // namespace verbena::experiments
