// Times as whole numbers, of one type per unit.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace verbena {

/// A point in time or a duration: `count()` units of `Unit`, a tag type. Times of one unit add,
/// subtract and compare; a time times or divided by a number is a time; a time divided by a time is
/// a number. Times of different units do not mix. Numbers and times convert only explicitly, except
/// that the literal 0 is a time of any unit. As fast as the number.
template <typename Unit>
class TimeCount {
 public:
  constexpr TimeCount() = default;
  template <std::integral Number>
  constexpr explicit TimeCount(Number count) : count_(static_cast<std::int64_t>(count)) {}
  /// Converts the literal 0; anything else does not compile.
  consteval TimeCount(__int128 zero) {  // NOLINT(google-explicit-constructor)
    if (zero != 0) throw "only 0 is a time without a unit";
  }
  template <std::floating_point Number>
  TimeCount(Number) = delete;

  constexpr std::int64_t count() const { return count_; }

  constexpr auto operator<=>(const TimeCount&) const = default;

  constexpr TimeCount& operator+=(TimeCount other) {
    count_ += other.count_;
    return *this;
  }
  constexpr TimeCount& operator-=(TimeCount other) {
    count_ -= other.count_;
    return *this;
  }
  constexpr TimeCount& operator*=(std::integral auto factor) { return *this = *this * factor; }
  constexpr TimeCount operator-() const { return TimeCount(-count_); }
  friend constexpr TimeCount operator+(TimeCount a, TimeCount b) { return a += b; }
  friend constexpr TimeCount operator-(TimeCount a, TimeCount b) { return a -= b; }
  friend constexpr TimeCount operator*(TimeCount time, std::integral auto factor) {
    return TimeCount(time.count_ * static_cast<std::int64_t>(factor));
  }
  friend constexpr TimeCount operator*(std::integral auto factor, TimeCount time) {
    return time * factor;
  }
  friend constexpr TimeCount operator/(TimeCount time, std::integral auto divisor) {
    return TimeCount(time.count_ / static_cast<std::int64_t>(divisor));
  }
  friend constexpr std::int64_t operator/(TimeCount a, TimeCount b) { return a.count_ / b.count_; }
  friend constexpr TimeCount operator%(TimeCount a, TimeCount b) {
    return TimeCount(a.count_ % b.count_);
  }

 private:
  std::int64_t count_ = 0;
};

/// Returns `time` times `factor` / 2^`bits`, rounded down: a product with a fixed-point number.
template <typename Unit>
constexpr TimeCount<Unit> scaled(TimeCount<Unit> time, std::int64_t factor, unsigned bits) {
  return TimeCount<Unit>(time.count() * factor >> bits);
}

}  // namespace verbena
