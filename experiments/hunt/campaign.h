// Many random runs, and what became of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/hunt/draw/ground.h"
#include "experiments/hunt/draw/hunted_run.h"
#include "experiments/hunt/outcome.h"
#include "experiments/points/process_pool.h"

namespace verbena::experiments {

struct CampaignOptions {
  HuntGround ground;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1000;          ///< at most
  std::optional<double> wall_seconds;  ///< no new runs after it
  std::size_t jobs = 1;                ///< runs at once
  unsigned run_seconds = 60;           ///< of wall time, after which a run is stuck
  double twice_percent = 5;            ///< runs that are made twice and compared
  bool goes_on = false;                ///< at a failure
  bool shrinks = true;
  std::size_t shrink_budget = 4000;  ///< runs for each failure
  /// The program, by its arguments: most runs are made in copies of this process, without the time
  /// that starting a program takes.
  std::function<int(const std::vector<std::string>& arguments)> program = {};
};

struct HuntedFailure {
  Outcome outcome = Outcome::kCrashed;
  std::string why;  ///< one line
  HuntedRun run;    ///< as drawn
  std::optional<HuntedRun> smallest;
};

/// How many runs ended how, by the name of what they have in common and that of the outcome.
using OutcomeCounts = std::map<std::string, std::map<std::string, std::uint64_t>>;

struct CampaignResult {
  std::uint64_t runs = 0;     ///< that were made, of different seeds; without those refused
  std::uint64_t refused = 0;  ///< seeds of which no draw's settings go together
  std::string refusal;        ///< of the last one of these, why
  std::uint64_t twice = 0;    ///< of the runs, how many were made twice
  OutcomeCounts by_system;    ///< of the runs
  OutcomeCounts by_workload;  ///< likewise
  std::set<std::string, std::less<>> reached;  ///< points of the code that any of the runs came to
  std::vector<HuntedFailure> failures;         ///< in the order of seeds
  int signal = 0;                              ///< that interrupted it
};

/// Runs the seeds, `jobs` at once, each in a process of its own; `told` is called now and then with
/// what there is so far. Stops at the first failure unless told to go on, and shrinks failures.
/// `directory` is for temporary files.
CampaignResult hunt(const CampaignOptions& options, const std::string& directory,
                    const ProcessPool& pool,
                    const std::function<void(const CampaignResult&)>& told);

}  // namespace verbena::experiments
