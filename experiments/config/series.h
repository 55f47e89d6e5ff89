// Lists of values: several measurements by one command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// What a command line stands for that gives settings or overrides lists of values, such as
/// `--payload 8,16,32`.
struct Series {
  std::map<std::string, std::string> lists;  ///< texts by key; empty: there are none
  /// At least one: a command line for each combination of values; that of the first key, in
  /// alphabetical order, changes slowest.
  std::vector<CommandLine> lines;
};

/// The lists of `line`; only bench has any. Throws ConfigurationError when they combine to more
/// measurements than anyone would wait for.
Series expand_lists(const CommandLine& line);

}  // namespace verbena::experiments
