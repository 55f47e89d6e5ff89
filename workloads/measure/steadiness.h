// Finds a beginning of a series that differs from the rest.
#pragma once

#include <cstddef>
#include <span>

namespace verbena::workloads {

/// Number of neighbouring elements that transient_of averages to one.
inline constexpr std::size_t kTogether = 5;

/// Returns how many elements at the beginning of `series` to leave out, so that the mean of the
/// rest has the least standard error, by the rule MSER-5 (White, Cobb and Spratt, WSC 2000). The
/// result is a multiple of kTogether and at most half of the series. It is only a hint: any anomaly
/// in the first half is left out too.
std::size_t transient_of(std::span<const double> series);

}  // namespace verbena::workloads
