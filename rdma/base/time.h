// Time as every layer above the seam sees it.
#pragma once

#include <cstdint>

#include "rdma/base/time_count.h"

namespace verbena {

struct NanosecondUnit;

/// A point in time or a duration, in nanoseconds. Points count from the start of the run in a
/// simulation, and from an arbitrary start on hardware. Only differences compare between nodes that
/// one process hosts on hardware.
using Nanoseconds = TimeCount<NanosecondUnit>;

inline constexpr Nanoseconds kMicrosecond{1'000};
inline constexpr Nanoseconds kMillisecond{1'000'000};
inline constexpr Nanoseconds kSecond{1'000'000'000};

/// Later than any point in time that a run reaches: "no deadline".
inline constexpr Nanoseconds kNever{INT64_MAX};

constexpr Nanoseconds operator""_ns(unsigned long long count) { return Nanoseconds(count); }

/// Converts to seconds with their fraction, for reports.
constexpr double to_seconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1e9; }

struct PicosecondUnit;

/// Times in picoseconds: simulated time, and the cost of work on a core.
using Picoseconds = TimeCount<PicosecondUnit>;

/// Later than any event of a simulation.
inline constexpr Picoseconds kNeverPs{INT64_MAX};

/// Converts to picoseconds. `time` must lie within 106 days, their range.
constexpr Picoseconds to_picoseconds(Nanoseconds time) { return Picoseconds(time.count() * 1'000); }

/// Converts to whole nanoseconds, cutting off the rest.
constexpr Nanoseconds to_nanoseconds(Picoseconds time) { return Nanoseconds(time.count() / 1'000); }

}  // namespace verbena
