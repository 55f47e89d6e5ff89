// The constants a profile must have: key, unit, range, and the member that holds each.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>

#include "simnic/profile.h"

namespace verbena::simnic {

/// What a constant counts; also how its number becomes an integer.
enum class Unit { kCount, kNanoseconds, kGigabitsPerSecond, kMegabytesPerSecond, kProbability };

template <typename Profile>
struct ConstantSchema {
  const char* key;
  const char* unit;  ///< as the profile spells it
  Unit kind;
  double minimum;
  double maximum;
  std::function<std::int64_t&(Profile&)> member;
};

std::span<const ConstantSchema<NicProfile>> nic_schema();
std::span<const ConstantSchema<CpuProfile>> cpu_schema();
std::span<const ConstantSchema<FabricProfile>> fabric_schema();

/// The integer that stands for `value`: picoseconds, 1/1024 picoseconds per byte, 2^-32, or the
/// number itself.
std::int64_t scaled(Unit unit, double value);

}  // namespace verbena::simnic
