// "Did you mean": the known name that is closest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verbena {

/// Returns the name of `known` nearest to `wanted`, or nothing when none is near. Prefers a name
/// that begins with `wanted` (of two letters or more); else the smallest edit distance, of at most
/// a third of the longer name's letters; else a name that begins almost with `wanted`, within a
/// fifth of its letters. Insertions, deletions, substitutions and swaps of neighbours count one
/// each, case nothing. Of several the closest, then the first.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

/// Returns the `most` names of `known` with the smallest edit distances to `wanted`, however far;
/// the closest first, equally close ones in their order.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known,
                                       std::size_t most);

/// Returns "; did you mean NAME?" for a message, or nothing when no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

}  // namespace verbena
