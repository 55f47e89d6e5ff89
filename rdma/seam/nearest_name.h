// "Did you mean": the known name that is closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace verbena {

/// The name of `known` with the smallest edit distance to `wanted` (insertions, deletions,
/// substitutions and swaps of neighbours count one each, letters alike but for case count nothing).
/// The first of several equally close; empty when nothing is known.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

}  // namespace verbena
