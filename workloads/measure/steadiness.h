// Search for a beginning of a series that does not belong to it.
#pragma once

#include <cstddef>
#include <span>

namespace verbena::workloads {

/// Number of neighbouring elements that transient_of takes for one.
inline constexpr std::size_t kTogether = 5;

/// How many elements at the beginning of `series` to leave out, so that the mean of the rest has
/// the least standard error, by the rule MSER-5 (White, Cobb and Spratt, WSC 2000): a multiple of
/// kTogether, at most half of them. That alone says little: something odd anywhere in the first
/// half is left out, too.
std::size_t transient_of(std::span<const double> series);

}  // namespace verbena::workloads
