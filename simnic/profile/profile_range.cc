// Ranges of constants, and the integers that constants become.
#include <array>
#include <charconv>
#include <cmath>

#include "simnic/profile/profile_schema.h"

namespace verbena::simnic {
namespace {

bool is_whole(double value) { return value == std::floor(value); }

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5;
}

}  // namespace

bool Range::has(double value) const {
  // Nothing holds of NaN.
  if (!(value >= minimum && value <= maximum)) return false;
  switch (values) {
    case Values::kAll:
      return true;
    case Values::kWhole:
      return is_whole(value);
    case Values::kPowersOfTwo:
      return is_power_of_two(value);
    case Values::kWaysOfFour:
      return is_whole(value / 4);
  }
  return false;
}

std::string Range::text() const {
  constexpr double kFew = 16;  // so many times the smallest are listed
  std::string all;
  switch (values) {
    case Values::kAll:
      all = "a number from ";
      break;
    case Values::kWhole:
      if (minimum == 0 && maximum == 1) return "0 or 1";
      all = "a whole number from ";
      break;
    case Values::kPowersOfTwo:
      if (maximum <= kFew * minimum) {
        for (double value = minimum; value < maximum; value *= 2) {
          all += (all.empty() ? "" : ", ") + plain_number(value);
        }
        return all + " or " + plain_number(maximum);
      }
      all = "a power of two from ";
      break;
    case Values::kWaysOfFour:
      all = "a multiple of 4 from ";
      break;
  }
  return all + plain_number(minimum) + " to " + plain_number(maximum);
}

std::string plain_number(double value) {
  std::array<char, 64> text{};
  char* const last = text.data() + text.size();
  auto result = std::to_chars(text.data(), last, value, std::chars_format::fixed);
  // A number that is too long is none that people write.
  if (result.ec != std::errc()) result = std::to_chars(text.data(), last, value);
  return {text.data(), result.ptr};
}

std::int64_t scaled(Unit unit, double value) {
  switch (unit) {
    case Unit::kCount:
      return std::llround(value);
    case Unit::kNanoseconds:
      return std::llround(value * 1e3);
    case Unit::kGigabitsPerSecond:
      return std::llround(8e3 * 1024 / value);
    case Unit::kMegabytesPerSecond:
      return std::llround(1e6 * 1024 / value);
    case Unit::kProbability:
      return std::llround(value * 4294967296.0);
  }
  return 0;
}

}  // namespace verbena::simnic
