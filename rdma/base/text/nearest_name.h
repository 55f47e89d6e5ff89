// "Did you mean": the known name that is closest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verbena {

/// The name of `known` that `wanted`, of two letters or more, begins; otherwise the one with the
/// smallest edit distance to it (insertions, deletions, substitutions and swaps of neighbours count
/// one each, letters alike but for case count nothing), of which at most a third of the longer
/// name's letters may differ; otherwise the one that it nearly begins, of whose
/// letters at most a fifth may differ. The closest of several, and of those the first; empty when
/// there is none.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

/// The `most` names of `known` with the smallest edit distances to `wanted`, however far they are;
/// the closest first, and of equally close ones the first.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known,
                                       std::size_t most);

/// "; did you mean NAME?" for a message, or nothing when no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

}  // namespace verbena
