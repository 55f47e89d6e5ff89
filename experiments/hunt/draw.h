// Which run a seed stands for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/config/command_options.h"
#include "experiments/hunt/hunted_run.h"

namespace verbena::experiments {

/// What all runs of a hunt have in common.
struct HuntGround {
  std::vector<std::string> systems;    ///< to choose among
  std::vector<std::string> workloads;  ///< likewise; of several, the first is drawn most often
  std::vector<Assignment> sets;        ///< instead of what is drawn
};

/// The run of `seed`: cluster, system or a change of its plan, workload with small tables, fabric
/// with losses and chaos or not, short time-outs, small rings and caches. Equal arguments give the
/// same run. It may be one that `run` refuses, where settings do not go together; another `draw` is
/// then another try.
HuntedRun draw_run(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw = 0);

/// Throws ConfigurationError for what is set and could not be of any run.
void check_ground(const HuntGround& ground);

}  // namespace verbena::experiments
