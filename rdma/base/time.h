// Time as every layer above the seam sees it.
#pragma once

#include <cstdint>

#include "rdma/base/time_count.h"

namespace verbena {

struct NanosecondUnit;

/// A point in time or a duration, in nanoseconds. Points count from the start of the run on a
/// simulated fabric and from an arbitrary start on a hardware one; only differences are comparable
/// between nodes of a hardware fabric's one process.
using Nanoseconds = TimeCount<NanosecondUnit>;

inline constexpr Nanoseconds kMicrosecond{1'000};
inline constexpr Nanoseconds kMillisecond{1'000'000};
inline constexpr Nanoseconds kSecond{1'000'000'000};

/// Later than any point in time that a run reaches: "no deadline".
inline constexpr Nanoseconds kNever{INT64_MAX};

constexpr Nanoseconds operator""_ns(unsigned long long count) { return Nanoseconds(count); }

/// For reports: seconds with their fraction.
constexpr double to_seconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1e9; }

struct PicosecondUnit;

/// The same in picoseconds: how a simulation counts time, and what work costs a core.
using Picoseconds = TimeCount<PicosecondUnit>;

/// Later than any event of a simulation.
inline constexpr Picoseconds kNeverPs{INT64_MAX};

/// `time` must lie within 106 days, which is what picoseconds can tell.
constexpr Picoseconds to_picoseconds(Nanoseconds time) { return Picoseconds(time.count() * 1'000); }

/// Whole nanoseconds; what is over is lost.
constexpr Nanoseconds to_nanoseconds(Picoseconds time) { return Nanoseconds(time.count() / 1'000); }

}  // namespace verbena
