// Parameters of SeriesOptions.
#include "experiments/config/keys/series_options.h"

#include <algorithm>
#include <iterator>

#include "experiments/config/keys/texts.h"

namespace verbena::experiments {
namespace {

std::vector<Parameter> repetition_parameters(SeriesOptions& series) {
  return {
      {.name = "repeat",
       .help = "runs of each point with seeds that follow from --seed, the first with it; their "
               "means have 95 % intervals",
       .target = &series.repeat,
       .minimum = 1,
       .maximum = 1000},
      {.name = "vary-seed",
       .help = "give each point of a series its own seeds, instead of the same to all",
       .target = &series.vary_seed},
  };
}

std::vector<Parameter> showing_parameters(SeriesOptions& series) {
  std::vector<Parameter> all = {
      {.name = "jobs",
       .help = "measurements of a series at once, each in a process of its own",
       .target = &series.jobs,
       .minimum = 1,
       .maximum = 1024,
       .otherwise = "as many as fit the cores and the memory"},
      {.name = "out",
       .help = "directory of a series: its plot, page and tables, and its measurements, which are "
               "not made again",
       .target = &series.out,
       .check = check_directory_name,
       .placeholder = "DIR"},
      {.name = "fresh", .help = "make all measurements in --out again", .target = &series.fresh},
      {.name = "x",
       .help = "the list on the x axis of the plot",
       .target = &series.x,
       .placeholder = "KEY",
       .otherwise = "the longest one of numbers"},
      {.name = "series",
       .help = "the list whose values each have a curve",
       .target = &series.curves,
       .placeholder = "KEY",
       .otherwise = "all lists that are not on the x axis, together"},
      {.name = "y",
       .help = "what the plot shows: throughput, throughput_per_node, p50, p90, p99, p999, mean, "
               "abort_rate, or that of a phase, such as log_p50",
       .target = &series.y,
       .placeholder = "QUANTITY"},
  };
  std::ranges::move(shard_parameters(series.shards), std::back_inserter(all));
  return all;
}

}  // namespace

// Only the first are part of what was measured.
void add_series(Keys& keys, SeriesOptions& series) {
  add(keys, "series", repetition_parameters(series));
  add(keys, "output", showing_parameters(series));
}

}  // namespace verbena::experiments
