// The constants a profile must have: key, unit, allowed values, and how each is read and set.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>

#include "simnic/profile.h"

namespace verbena::simnic {

/// Unit of a constant's number; also how that becomes an integer.
enum class Unit { kCount, kNanoseconds, kGigabitsPerSecond, kMegabytesPerSecond, kProbability };

/// Which numbers between its limits a constant may be.
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

  /// E.g. "a number from 0 to 1", "a whole number from 1 to 4", "0 or 1", "256, 512 or 1024".
  std::string text() const;
};

template <typename Profile>
struct ConstantSchema {
  const char* key;
  const char* help;  ///< one sentence
  const char* unit;  ///< as the profile spells it
  Unit kind;
  Range range;
  /// The integer that stands for it, as `scaled` makes it.
  std::function<std::int64_t(const Profile&)> get;
  std::function<void(Profile&, std::int64_t)> set;
  bool capability = false;  ///< what can be done, of which the least of several counts
};

std::span<const ConstantSchema<NicProfile>> nic_schema();
std::span<const ConstantSchema<CpuProfile>> cpu_schema();
std::span<const ConstantSchema<FabricProfile>> fabric_schema();

/// A number as people write it, without an exponent.
std::string plain_number(double value);

/// The integer that stands for `value`: picoseconds, 1/1024 picoseconds per byte, 2^-32, or the
/// number itself.
std::int64_t scaled(Unit unit, double value);

}  // namespace verbena::simnic
