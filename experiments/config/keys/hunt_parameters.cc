// Names, ranges and helps.
#include "experiments/config/keys/hunt_parameters.h"

#include <string_view>

#include "experiments/config/keys/texts.h"
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
  return {{.name = "seeds",
           .help = "runs to make, one for each seed; or which seeds, both included: 5001..6000",
           .target = &command.seeds_text,
           .check = what_is_wrong_with_seeds,
           .placeholder = "N"},
          {.name = "from",
           .help = "the first seed",
           .target = &command.first_seed,
           .maximum = 1e18,
           .placeholder = "SEED"},
          {.name = "for",
           .help = "no new runs after this time of the wall; auto: until all seeds are done",
           .target = &command.time,
           .minimum = 1e9,
           .maximum = 3600e9 * 1000},
          {.name = "system",
           .help = "system of the runs; all: one of them each, often with a changed plan",
           .target = &command.system,
           .choices = with_all(txn::system_names()),
           .placeholder = "NAME"},
          {.name = "workload",
           .help = "workload of the runs; all: half of them have stress, the others any",
           .target = &command.workload,
           .choices = with_all(workloads::workload_names()),
           .placeholder = "NAME"}};
}

}  // namespace

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

std::vector<Parameter> hunt_parameters(HuntCommand& command) {
  std::vector<Parameter> all = prey(command);
  const std::vector<Parameter> ways = {
      {.name = "twice",
       .help = "runs, in percent, that are made twice to see that both are the same",
       .target = &command.twice_percent,
       .maximum = 100,
       .placeholder = "PERCENT"},
      {.name = "go-on", .help = "do not stop at the first failure", .target = &command.go_on},
      {.name = "no-shrink",
       .help = "do not look for the smallest run that fails alike",
       .target = &command.no_shrink},
      {.name = "jobs",
       .help = "runs at once, each in a process of its own; otherwise as many as there are cores",
       .target = &command.jobs,
       .minimum = 1,
       .maximum = 1024},
      {.name = "merge",
       .help =
           "hunt no more, but put hunts that several machines made of different seeds together: "
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

}  // namespace verbena::experiments
