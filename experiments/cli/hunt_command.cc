// `verbena hunt`: looking for errors.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "experiments/cli/commands.h"
#include "experiments/cli/faulty_run.h"
#include "experiments/cli/measuring.h"
#include "experiments/cli/program.h"
#include "experiments/hunt/campaign.h"
#include "experiments/hunt/draw/ground.h"
#include "experiments/hunt/hunt_document.h"
#include "experiments/hunt/hunt_record.h"
#include "experiments/hunt/hunt_text.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/progress.h"
#include "rdma/base/text/counted.h"
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

// All but what is another with settings that are drawn anyway.
std::vector<std::string> systems() {
  std::vector<std::string> names = txn::system_names();
  std::erase(names, "nam-naive");
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

// To standard output, unless a file goes there.
void print(const std::string& text, bool aside) {
  if (std::fputs(text.c_str(), aside ? stderr : stdout) < 0) {
    throw std::runtime_error("standard output: cannot be written");
  }
}

// Where a record goes, besides the terminal; found out before anything is hunted.
class Outputs {
 public:
  explicit Outputs(const HuntCommand& command) : command_(command) {
    if (!command.json.empty()) json_.emplace(command.json, "--json");
    if (!command.junit.empty()) junit_.emplace(command.junit, "--junit");
  }

  void write(const HuntRecord& record) const {
    print(hunt_text(record), command_.json == "-" || command_.junit == "-");
    if (json_) json_->commit(hunt_document(record, command_line()));
    if (junit_) junit_->commit(hunt_junit(record));
  }

 private:
  std::string command_line() const {
    std::string line = command_.record.command_line();
    for (const std::string& file : command_.names) line += " " + file;
    return line;
  }

  const HuntCommand& command_;
  std::optional<OutputFile> json_;
  std::optional<OutputFile> junit_;
};

int merge(const HuntCommand& command) {
  const Outputs outputs(command);
  std::vector<std::pair<std::string, HuntRecord>> records;
  records.reserve(command.names.size());
  for (const std::string& file : command.names) records.emplace_back(file, read_hunt(file));
  const HuntRecord record = merged(records);
  outputs.write(record);
  return exit_code_of(record);
}

}  // namespace

int execute(const HuntCommand& command) {
  if (command.merge) return merge(command);
  check_points_of_deaths(command.sets);
  const CampaignOptions options = options_of(command);
  check_ground(options.ground);
  const Outputs outputs(command);
  CampaignResult result;
  const auto began = std::chrono::steady_clock::now();
  {
    const TemporaryDirectory temporary;
    // Everything that runs save is gone with it, even if they crash.
    setenv("TMPDIR", temporary.path().c_str(), 1);
    const ProcessPool pool;
    Progress progress(counted(command.seeds, "seed"), static_cast<std::int64_t>(command.seeds),
                      command.progress);
    result = hunt(options, temporary.path(), pool, [&](const CampaignResult& so_far) {
      progress.position() = static_cast<std::int64_t>(so_far.runs + so_far.refused);
    });
  }
  if (result.runs == 0 && result.refused > 0 && result.signal == 0) {
    throw ConfigurationError(fmt::format("none of {} can be run; the reason for the last: {}",
                                         counted(result.refused, "seed"), result.refusal));
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  const HuntRecord record = record_of(options, result, passed.count());
  outputs.write(record);
  if (result.signal != 0) {
    std::fflush(stdout);
    std::raise(result.signal);
  }
  return exit_code_of(record);
}

}  // namespace verbena::experiments
