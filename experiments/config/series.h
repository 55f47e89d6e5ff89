// Lists of values: several measurements by one command line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// The values that an assignment lists, at least two; nothing when it has a single one:
///
///     8,16,32      each of them
///     1..8         1, 2, 3, ..., 8
///     1..9+2       1, 3, 5, 7, 9
///     4..64*2      4, 8, 16, 32, 64
///     500us..2ms+500us is refused: units are the same, or at the end only, as in 1..4ms
///     A|B          each of them; texts that have commas of their own, such as plans
///
/// A comma may stand between ranges, too. Throws PlacedError for a range that ends before it begins
/// or never ends.
std::optional<std::vector<std::string>> listed_values(const Assignment& assignment);

/// True of keys that are never lists: values that all measurements of a process share, and files
/// that are written.
bool takes_no_list(const std::string& key);

/// Command lines that one stands for which gives settings or overrides lists of values.
struct Series {
  std::map<std::string, std::string> lists;  ///< texts by key; empty: there are none
  /// At least one: a command line for each combination of values; that of the first key, in
  /// alphabetical order, changes slowest.
  std::vector<CommandLine> lines;
};

/// The lists of `line`. Throws ConfigurationError when they combine to more measurements than
/// anyone would wait for.
Series expand_lists(const CommandLine& line);

/// How many measurements a command may make.
inline constexpr std::size_t kMostMeasurements = 1000;

/// `line` for one measurement of a series: with `seed` as its seed, without what is of the series.
CommandLine single_line(CommandLine line, std::optional<std::uint64_t> seed);

/// The seed of a repetition, from 0: the first is `seed` itself. With `place`, which tells a point
/// from others, each has seeds of its own, the first too.
std::uint64_t repeated_seed(std::uint64_t seed, std::uint32_t repetition, const std::string& place);

}  // namespace verbena::experiments
