// `verbena hunt`: looking for errors.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "experiments/cli/commands.h"
#include "experiments/cli/measuring.h"
#include "experiments/cli/program.h"
#include "experiments/hunt/campaign.h"
#include "experiments/hunt/ground.h"
#include "experiments/hunt/hunt_text.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/progress.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

// Made to find errors.
constexpr const char* kUsualPrey = "stress";

std::vector<std::string> chosen(const std::string& name, std::vector<std::string> all) {
  if (name != "all") return {name};
  std::ranges::stable_partition(all, [](const std::string& one) { return one == kUsualPrey; });
  return all;
}

// Those that have to be asked for by name: what is another with settings that are drawn anyway, and
// a baseline that others are compared with.
std::vector<std::string> systems() {
  std::vector<std::string> names = txn::system_names();
  std::erase_if(names,
                [](const std::string& name) { return name == "nam-naive" || name == "si-2pc"; });
  return names;
}

CampaignOptions options_of(const HuntCommand& command) {
  CampaignOptions options;
  options.ground = {.systems = chosen(command.system, systems()),
                    .workloads = chosen(command.workload, workloads::workload_names()),
                    .sets = command.sets};
  options.first_seed = command.first_seed;
  options.seeds = command.seeds;
  if (command.time) options.wall_seconds = to_seconds(*command.time);
  options.jobs = command.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
  options.twice_percent = command.twice_percent;
  options.goes_on = command.go_on;
  options.shrinks = !command.no_shrink;
  options.program = [](const std::vector<std::string>& arguments) {
    return run_program(arguments);
  };
  return options;
}

// Of the outcomes that occurred.
int exit_code_of(const CampaignResult& result) {
  for (const Outcome outcome :
       {Outcome::kUnsafe, Outcome::kNotDeterministic, Outcome::kCrashed, Outcome::kStuck}) {
    const bool occurred = std::ranges::any_of(
        result.failures, [&](const HuntedFailure& one) { return one.outcome == outcome; });
    if (occurred) return exit_code_of(outcome);
  }
  return kSuccess;
}

}  // namespace

int execute(const HuntCommand& command) {
  const CampaignOptions options = options_of(command);
  check_ground(options.ground);
  CampaignResult result;
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  {
    const TemporaryDirectory temporary;
    const ProcessPool pool;
    Progress progress(fmt::format("{} seeds", command.seeds),
                      static_cast<std::int64_t>(command.seeds), command.progress);
    result = hunt(options, temporary.path(), pool, [&](const CampaignResult& so_far) {
      progress.position() = static_cast<std::int64_t>(so_far.runs + so_far.refused);
    });
  }
  if (result.runs == 0 && result.refused > 0 && result.signal == 0) {
    throw ConfigurationError(fmt::format("of {} seeds none can be run; the last one: {}",
                                         result.refused, result.refusal));
  }
  const bool printed = std::fputs(hunt_text(options, result, seconds()).c_str(), stdout) >= 0;
  if (!printed) throw std::runtime_error("standard output: cannot be written");
  if (result.signal != 0) {
    std::fflush(stdout);
    std::raise(result.signal);
  }
  return exit_code_of(result);
}

}  // namespace verbena::experiments
