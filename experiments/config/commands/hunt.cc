// Random runs: keys, conditions.
#include "experiments/config/commands/hunt.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/fabric_checks.h"
#include "experiments/config/keys/fabric_keys.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/value_text.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

std::vector<std::string> with_all(std::vector<std::string> names) {
  names.emplace_back("all");
  return names;
}

constexpr std::uint64_t kMostSeeds = 1'000'000'000'000;
constexpr std::uint64_t kLastSeed = 1'000'000'000'000'000'000;

constexpr const char* kSeedsExpected =
    "expected a whole number from 1 to 1000000000000, or a range of seeds such as 5001..6000";

struct HuntedSeeds {
  std::optional<std::uint64_t> first;  // nothing: as is said elsewhere
  std::uint64_t count = 1;
};

// "1000", or "5001..6000" with both included; nothing when `text` is something else.
std::optional<HuntedSeeds> parse_seeds(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = parse_whole(std::string_view(text).substr(0, dots));
  if (dots == std::string::npos) {
    if (!first || *first < 1 || *first > kMostSeeds) return std::nullopt;
    return HuntedSeeds{.first = std::nullopt, .count = *first};
  }
  const auto last = parse_whole(std::string_view(text).substr(dots + 2));
  if (!first || !last || *last < *first || *last > kLastSeed) return std::nullopt;
  if (*last - *first >= kMostSeeds) return std::nullopt;
  return HuntedSeeds{.first = first, .count = *last - *first + 1};
}

// A range of two numbers, of which the last is below the first.
bool goes_backwards(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return false;
  const auto first = parse_whole(std::string_view(text).substr(0, dots));
  const auto last = parse_whole(std::string_view(text).substr(dots + 2));
  return first && last && *last < *first;
}

std::string what_is_wrong_with_seeds(const std::string& text) {
  if (parse_seeds(text)) return "";
  if (!goes_backwards(text)) return kSeedsExpected;
  return "ends before it begins; expected a range whose last seed is not below its first, such as "
         "5001..6000";
}

std::vector<Parameter> prey(HuntCommand& command) {
  return {
      {.name = "seeds",
       .help = "number of runs, one for each seed; or a range of seeds, such as 5001..6000, both "
               "ends included",
       .target = &command.seeds_text,
       .check = what_is_wrong_with_seeds,
       .placeholder = "N"},
      {.name = "from",
       .help = "the first seed",
       .target = &command.first_seed,
       .maximum = 1e18,
       .placeholder = "SEED"},
      {.name = "for",
       .help = "wall-clock time after which no new runs start; auto: no limit",
       .target = &command.time,
       .minimum = 1e9,
       .maximum = 3600e9 * 1000},
      {.name = "system",
       .help = "system of the runs; all: a random one for each run, often with a changed plan",
       .target = &command.system,
       .choices = with_all(txn::system_names()),
       .placeholder = "NAME"},
      {.name = "workload",
       .help =
           "workload of the runs; all: stress for half of the runs, a random one for the others",
       .target = &command.workload,
       .choices = with_all(workloads::workload_names()),
       .placeholder = "NAME"}};
}

std::vector<Parameter> hunt_parameters(HuntCommand& command) {
  std::vector<Parameter> all = prey(command);
  const std::vector<Parameter> ways = {
      {.name = "twice",
       .help = "percentage of runs that are repeated, to check that both give the same result",
       .target = &command.twice_percent,
       .maximum = 100,
       .placeholder = "PERCENT"},
      {.name = "go-on", .help = "do not stop at the first failure", .target = &command.go_on},
      {.name = "no-shrink",
       .help = "do not search for the smallest run that fails in the same way",
       .target = &command.no_shrink},
      {.name = "jobs",
       .help = "runs at once, each in a process of its own",
       .target = &command.jobs,
       .minimum = 1,
       .maximum = 1024,
       .otherwise = "as many as there are cores"},
      {.name = "merge",
       .help = "run nothing, but combine hunts that several machines made with different seeds; "
               "files of hunt --json follow",
       .target = &command.merge},
      {.name = "junit",
       .help = "write what was found to this file as JUnit XML, a suite for each system; - is "
               "standard output",
       .target = &command.junit,
       .check = check_file_name,
       .placeholder = "FILE"}};
  all.insert(all.end(), ways.begin(), ways.end());
  return all;
}

void check_files(const HuntCommand& command) {
  if (!command.merge && !command.names.empty()) {
    throw ConfigurationError(
        fmt::format("unexpected argument '{}' of hunt; only --merge takes files",
                    printable(command.names.front())));
  }
  if (!command.merge) return;
  if (!command.sets.empty()) {
    throw ConfigurationError(fmt::format("--set {}: not allowed with --merge, which runs nothing",
                                         command.sets.front().key));
  }
  if (command.names.size() < 2) {
    throw ConfigurationError(
        fmt::format("hunt --merge: expected two files or more, such as A.json B.json, but got {}",
                    command.names.size()));
  }
}

}  // namespace

Keys HuntCommand::keys() {
  Keys all;
  add(all, "hunt", hunt_parameters(*this));
  add(all, "output",
      {{.name = "json",
        .help = "write what was found to this file as JSON; - is standard output",
        .target = &json,
        .check = check_file_name,
        .placeholder = "FILE"},
       progress_parameter(progress)});
  return all;
}

// A merge takes few other flags: what it has was hunted before.
void HuntCommand::check(const Said& said) {
  check_files(*this);
  if (!json.empty() && !junit.empty() && is_same_file(json, junit)) {
    throw ConflictError({"junit", "json"},
                        fmt::format("--junit {}: --json writes the same file", junit));
  }
  if (merge) {
    for (const std::string& key : said) {
      if (key == "merge" || key == "json" || key == "junit" || key == "progress") continue;
      throw ConflictError({key, "merge"},
                          fmt::format("--{}: not allowed with --merge, which runs nothing", key));
    }
    return;
  }
  const std::optional<HuntedSeeds> asked = parse_seeds(seeds_text);
  if (asked && asked->first && said.contains("from")) {
    throw ConflictError(
        {"seeds", "from"},
        fmt::format("--seeds {}: a range has its own first seed; leave out --from {}", seeds_text,
                    first_seed));
  }
}

void HuntCommand::complete() {
  for (const Assignment& one : sets) record.overrides[one.key] = one.value;
  const std::optional<HuntedSeeds> asked = parse_seeds(seeds_text);
  if (!asked) return;
  seeds = asked->count;
  if (asked->first) first_seed = *asked->first;
}

}  // namespace verbena::experiments
