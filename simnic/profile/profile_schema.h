// The constants a profile must have: key, unit, allowed values, and how each is read and set.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// Unit of a constant's number, which decides how it becomes an integer.
enum class Unit { kCount, kNanoseconds, kGigabitsPerSecond, kMegabytesPerSecond, kProbability };

/// Allowed numbers between a constant's limits.
enum class Values {
  kAll,
  kWhole,
  kPowersOfTwo,
  kWaysOfFour,  ///< multiples of 4: entries of a cache of four ways
};

/// Range of the values that a constant may have.
struct Range {
  double minimum;
  double maximum;
  Values values = Values::kAll;

  bool has(double value) const;

  /// Returns e.g. "a number from 0 to 1", "a whole number from 1 to 4", "0 or 1", "256, 512 or
  /// 1024".
  std::string text() const;
};

template <typename Profile>
struct ConstantSchema {
  const char* key;
  const char* help;  ///< one sentence
  const char* unit;  ///< as the profile spells it
  Unit kind;
  Range range;
  /// Integer that represents it, as `scaled` makes it.
  std::function<std::int64_t(const Profile&)> get;
  std::function<void(Profile&, std::int64_t)> set;
  bool capability = false;  ///< a capability: of several, the least counts
  /// Value where a profile does not mention the constant; none: each has to.
  std::optional<double> otherwise = std::nullopt;
};

std::span<const ConstantSchema<NicProfile>> nic_schema();
std::span<const ConstantSchema<CpuProfile>> cpu_schema();
std::span<const ConstantSchema<FabricProfile>> fabric_schema();

/// Returns a number as people write it, without an exponent.
std::string plain_number(double value);

/// Returns the integer that represents `value`: picoseconds, 1/1024 picoseconds per byte, 2^-32, or
/// the number itself.
std::int64_t scaled(Unit unit, double value);

}  // namespace verbena::simnic
