// Names, ranges and helps.
#include "experiments/config/hunt_parameters.h"

#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

std::vector<std::string> with_all(std::vector<std::string> names) {
  names.emplace_back("all");
  return names;
}

std::vector<Parameter> prey(HuntCommand& command) {
  return {{.name = "seeds",
           .help = "runs to make, one for each seed",
           .target = &command.seeds,
           .minimum = 1,
           .maximum = 1e12},
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
       .maximum = 1024}};
  all.insert(all.end(), ways.begin(), ways.end());
  return all;
}

}  // namespace verbena::experiments
