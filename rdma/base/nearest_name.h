// "Did you mean": the known name that is closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace verbena {

/// The name of `known` that `wanted`, of two letters or more, begins; otherwise the one with the
/// smallest edit distance to it (insertions, deletions, substitutions and swaps of neighbours count
/// one each, letters alike but for case count nothing). The closest of several, and of those the
/// first; empty when none is near: at most a third of the longer name's letters may differ.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

/// "; did you mean NAME?" for a message, or nothing when no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

}  // namespace verbena
