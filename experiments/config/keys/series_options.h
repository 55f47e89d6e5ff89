// Settings of a series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/config/keys/key.h"
#include "experiments/config/keys/shard.h"

namespace verbena::experiments {

/// Options for making and showing several measurements. Without lists, repetitions and a directory
/// there is only one.
struct SeriesOptions {
  std::uint32_t repeat = 1;           ///< runs of each point, with different seeds
  bool vary_seed = false;             ///< each point has seeds of its own
  std::optional<std::uint32_t> jobs;  ///< measurements at once; nothing: as many as fit the machine
  std::string out;                    ///< directory of results; empty: none are kept
  bool fresh = false;                 ///< ignores results that are already there
  ShardOptions shards = {};           ///< part of the points to measure, and results of others
  std::string x;                      ///< the list on the x axis; empty: see axes_of
  std::string curves;                 ///< the list with a curve per value; empty: see axes_of
  std::string y = "throughput";       ///< the quantity shown
};

void add_series(Keys& keys, SeriesOptions& series);

}  // namespace verbena::experiments
