// Two sides: keys, conditions.
#include "experiments/config/commands/compare.h"

#include <fmt/format.h>

#include "experiments/config/keys/fabric_keys.h"

namespace verbena::experiments {

Keys CompareCommand::keys() {
  Keys all;
  add(all, "compare",
      {{.name = "tolerance",
        .help = "by how much B may be worse: in percent for throughput and latency, in percentage "
                "points for aborts",
        .target = &tolerance_percent,
        .maximum = 99,
        .placeholder = "PERCENT"},
       {.name = "repeat",
        .help = "runs of each point of a side that is measured, with different seeds",
        .target = &repeat,
        .minimum = 1,
        .maximum = 1000},
       {.name = "jobs",
        .help = "measurements at once, each in a process of its own",
        .target = &jobs,
        .minimum = 1,
        .maximum = 1024,
        .otherwise = "as many as fit the cores and the memory"}});
  add(all, "output", {json_parameter(output), progress_parameter(output.progress)});
  return all;
}

void CompareCommand::check(const Said&) {
  if (names.size() == 2) return;
  throw ConfigurationError(
      fmt::format("compare: expected two results or commands, such as A.json B.json, but got {}",
                  names.size()));
}

}  // namespace verbena::experiments
