// Small numbers as names, of one type per kind of thing.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace verbena {

/// A thing's name among those of its kind: a 16-bit number from 0. `Kind` is a tag type. A name
/// converts to a number implicitly (as an index, in arithmetic, in texts). A number that is not
/// constant converts to a name only explicitly. Names of different kinds neither convert nor
/// compare. As small and fast as the number.
template <typename Kind>
class Id {
 public:
  constexpr Id() = default;
  template <std::integral Number>
  constexpr explicit Id(Number number) : number_(static_cast<std::uint16_t>(number)) {}
  /// Converts a constant; anything else does not compile.
  consteval Id(__int128 number)  // NOLINT(google-explicit-constructor)
      : number_(static_cast<std::uint16_t>(number)) {
    if (number < 0 || number > UINT16_MAX) throw "names have 16 bits";
  }
  template <typename Other>
  requires(!std::same_as<Other, Kind>) explicit Id(Id<Other>) = delete;

  constexpr operator std::uint16_t() const {  // NOLINT(google-explicit-constructor)
    return number_;
  }

  constexpr Id& operator++() {
    ++number_;
    return *this;
  }

  constexpr auto operator<=>(const Id&) const = default;
  template <std::integral Number>
  constexpr bool operator==(Number number) const {
    return number_ == number;
  }
  template <std::integral Number>
  constexpr auto operator<=>(Number number) const {
    return number_ <=> number;
  }
  template <typename Other>
  requires(!std::same_as<Other, Kind>) bool operator==(Id<Other>) const = delete;
  template <typename Other>
  requires(!std::same_as<Other, Kind>) std::strong_ordering operator<=>(Id<Other>) const = delete;

 private:
  std::uint16_t number_ = 0;
};

}  // namespace verbena
