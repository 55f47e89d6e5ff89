// Lists of values: several measurements by one command line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// Returns the values that an assignment lists, at least two; nothing when it has a single one:
///
///     8,16,32      each of them
///     1..8         1, 2, 3, ..., 8
///     1..9+2       1, 3, 5, 7, 9
///     4..64*2      4, 8, 16, 32, 64
///     500us..2ms+500us is refused: units are the same, or at the end only, as in 1..4ms
///     A|B          each of them; for texts with commas of their own, such as plans
///
/// A comma may also separate ranges. Throws PlacedError for a range that ends before it begins or
/// never ends, for an empty entry between commas, and for a value that appears twice.
std::optional<std::vector<std::string>> listed_values(const Assignment& assignment);

/// Joins values of `key` to a text that listed_values takes.
std::string list_text(const std::string& key, const std::vector<std::string>& values);

/// True for keys that never take lists: values that all measurements of a process share, and output
/// files.
bool takes_no_list(const std::string& key);

/// All command lines that one with lists of values stands for.
struct Series {
  std::map<std::string, std::string> lists;  ///< texts of lists, by key; may be empty
  /// A command line for each combination of values, at least one. The value of the first key, in
  /// alphabetical order, changes slowest.
  std::vector<CommandLine> lines;
};

/// Expands the lists of `line`. Throws ConfigurationError when they combine to more than
/// kMostMeasurements.
Series expand_lists(const CommandLine& line);

/// Greatest number of measurements of a command.
inline constexpr std::size_t kMostMeasurements = 1000;

/// Returns `line` for one measurement of a series: with the seed `seed` and without the options of
/// the series.
CommandLine single_line(CommandLine line, std::optional<std::uint64_t> seed);

/// Returns the seed of the repetition `repetition`, counted from 0. Without `place` the first is
/// `seed` itself. A `place`, which identifies a point, gives each point seeds of its own.
std::uint64_t repeated_seed(std::uint64_t seed, std::uint32_t repetition, const std::string& place);

}  // namespace verbena::experiments
