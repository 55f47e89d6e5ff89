// The ground of a hunt.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Settings and choices that all runs of a hunt have in common.
struct HuntGround {
  std::vector<std::string> systems;    ///< to choose among
  std::vector<std::string> workloads;  ///< likewise; of several, the first is drawn most often
  std::vector<Assignment> sets;        ///< instead of what is drawn
};

/// True if constants are set that only runs with chaos have.
bool asks_for_chaos(const HuntGround& ground);

/// Throws ConfigurationError for what is set and could not be of any run.
void check_ground(const HuntGround& ground);

}  // namespace verbena::experiments
