// Time as every layer above the seam sees it.
#pragma once

#include <cstdint>

namespace verbena {

/// A point in time or a duration, in nanoseconds. Points count from the start of the run on a
/// simulated fabric and from an arbitrary start on a hardware one; only differences are comparable
/// between nodes of a hardware fabric's one process.
using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kMicrosecond = 1'000;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;

/// Later than any point in time that a run reaches: "no deadline".
inline constexpr Nanoseconds kNever = INT64_MAX;

}  // namespace verbena
