// The ground of a hunt.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Settings and choices that are the same for all runs of a hunt.
struct HuntGround {
  std::vector<std::string> systems;    ///< to choose among
  std::vector<std::string> workloads;  ///< likewise; of several, the first is drawn most often
  std::vector<Assignment> sets;        ///< settings that replace drawn ones
};

/// True if constants are set that only runs with chaos use.
bool asks_for_chaos(const HuntGround& ground);

/// Throws ConfigurationError for a setting that no run could have.
void check_ground(const HuntGround& ground);

}  // namespace verbena::experiments
