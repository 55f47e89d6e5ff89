// Published figures: keys, conditions.
#include "experiments/config/commands/reproduce.h"

#include <fmt/format.h>

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/fabric_keys.h"
#include "experiments/config/keys/texts.h"

namespace verbena::experiments {

Keys ReproduceCommand::keys() {
  Keys all;
  add(all, "reproduce",
      {{.name = "jobs",
        .help = "points that are measured at once, by as many processes",
        .target = &jobs,
        .minimum = 1,
        .maximum = 1024,
        .otherwise = "as many as fit the cores and the memory"},
       {.name = "out",
        .help = "directory of the results; points that are there already are not measured again",
        .target = &out,
        .check = check_directory_name,
        .placeholder = "DIR"},
       {.name = "fresh", .help = "measure all points again", .target = &fresh},
       {.name = "strict",
        .help = "exit code 1 when a claim does not hold; undecided claims are only reported",
        .target = &strict},
       {.name = "quick",
        .help = "measure fewer points where a figure allows it; claims that need the omitted ones "
                "are not judged",
        .target = &quick},
       {.name = "as",
        .help = "measure figures that have a preset a second time, with this one instead; 'ours': "
                "with none",
        .target = &as,
        .placeholder = "PRESET"},
       {.name = "decide-within",
        .help = "for undecided claims, measure points up to so many times as long, or as often, as "
                "figures say; 1: never again",
        .target = &decide_within,
        .minimum = 1,
        .maximum = 10000,
        .placeholder = "TIMES",
        .otherwise = "the figure's own limit, or 4"},
       progress_parameter(progress),
       {.name = "list",
        .help = "show the figures that there are, and measure nothing",
        .target = &list}});
  add(all, "reproduce", shard_parameters(shards));
  return all;
}

// Claims are of all points.
void ReproduceCommand::check(const Said& said) {
  if (names.empty() && !list) {
    throw ConfigurationError(
        "reproduce: a figure is missing, such as drtmh/5a; verbena reproduce --list shows all");
  }
  check_shards(shards, out, fresh);
  if (shards.chosen().is_whole()) return;
  for (const char* flag : {"strict", "decide-within"}) {
    if (!said.contains(flag)) continue;
    throw ConflictError(
        {flag, "shard"},
        fmt::format("--{}: applies to claims; these are judged with --gather, not with --shard",
                    flag));
  }
}

}  // namespace verbena::experiments
