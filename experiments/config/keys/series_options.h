// Settings of a series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/config/keys/key.h"
#include "experiments/config/keys/shard.h"

namespace verbena::experiments {

/// How several measurements are made and shown. Without lists, repetitions and a directory there is
/// one.
struct SeriesOptions {
  std::uint32_t repeat = 1;           ///< runs of each point, with different seeds
  bool vary_seed = false;             ///< each point has seeds of its own
  std::optional<std::uint32_t> jobs;  ///< at once; otherwise as many as fit the machine
  std::string out;                    ///< directory; empty: nothing is kept
  bool fresh = false;                 ///< measured again, whatever is there
  ShardOptions shards = {};           ///< what part of it, and what of others
  std::string x;                      ///< the list on the x axis; empty: a sensible one
  std::string curves;                 ///< the list that a curve each is for; empty: a sensible one
  std::string y = "throughput";       ///< what is shown
};

void add_series(Keys& keys, SeriesOptions& series);

}  // namespace verbena::experiments
