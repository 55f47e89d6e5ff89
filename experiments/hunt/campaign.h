// Many random runs, and their outcomes.
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
  std::optional<double> wall_seconds;  ///< no new runs start after it
  std::size_t jobs = 1;                ///< runs at once
  unsigned run_seconds = 60;           ///< limit of wall time of a run; beyond it the run is stuck
  double twice_percent = 5;            ///< share of runs that are made twice and compared
  bool goes_on = false;                ///< goes on after a failure
  bool shrinks = true;
  std::size_t shrink_budget = 4000;  ///< runs for each failure
  /// The program as a function of its arguments. With it, most runs are made in forked copies of
  /// this process, which saves the start of a program.
  std::function<int(const std::vector<std::string>& arguments)> program = {};
};

struct HuntedFailure {
  Outcome outcome = Outcome::kCrashed;
  std::string why;  ///< one line
  HuntedRun run;    ///< as drawn
  std::optional<HuntedRun> smallest;
};

/// Number of runs by outcome: first the name of their system or workload, then that of the outcome.
using OutcomeCounts = std::map<std::string, std::map<std::string, std::uint64_t>>;

struct CampaignResult {
  std::uint64_t runs = 0;     ///< runs of different seeds, without those refused
  std::uint64_t refused = 0;  ///< seeds of which no draw has settings that go together
  std::string refusal;        ///< reason for the last refusal
  std::uint64_t twice = 0;    ///< number of runs that were made twice
  OutcomeCounts by_system;    ///< of the runs
  OutcomeCounts by_workload;  ///< likewise
  std::set<std::string, std::less<>> reached;  ///< points of the code that any run reached
  std::vector<HuntedFailure> failures;         ///< in the order of seeds
  int signal = 0;                              ///< signal that interrupted the campaign; 0: none
};

/// Runs the seeds, `jobs` at once, each in a process of its own. Calls `told` now and then with the
/// results so far. Stops at the first failure unless told to go on, and shrinks failures. Temporary
/// files go to `directory`.
CampaignResult hunt(const CampaignOptions& options, const std::string& directory,
                    const ProcessPool& pool,
                    const std::function<void(const CampaignResult&)>& told);

}  // namespace verbena::experiments
