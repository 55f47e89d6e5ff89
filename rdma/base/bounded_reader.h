// Reads structs one after the other from bytes that others wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace verbena {

/// Takes bytes from the front of a span, and never reads beyond its end.
class BoundedReader {
 public:
  explicit BoundedReader(std::span<const std::byte> bytes) : bytes_(bytes.size()), rest_(bytes) {}

  /// Takes the next struct. Throws Malformed when fewer bytes are left, as take_bytes() does.
  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (rest_.size() < sizeof(T)) [[unlikely]]
      refuse(sizeof(T));
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }

  std::span<const std::byte> take_bytes(std::size_t bytes) {
    if (rest_.size() < bytes) [[unlikely]]
      refuse(bytes);
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  std::span<const std::byte> rest() const { return rest_; }

  /// Number of structs that fill the rest. Throws Malformed when they do not fill it exactly.
  template <typename T>
  std::size_t count() const {
    if (rest_.size() % sizeof(T) != 0) [[unlikely]]
      refuse_rest(sizeof(T));
    return rest_.size() / sizeof(T);
  }

  /// Throws Malformed when bytes are left.
  void expect_end() const {
    if (!rest_.empty()) [[unlikely]]
      refuse_rest(0);
  }

 private:
  [[noreturn]] void refuse(std::size_t wanted) const;
  [[noreturn]] void refuse_rest(std::size_t each) const;

  std::size_t bytes_;
  std::span<const std::byte> rest_;
};

[[noreturn]] void refuse_value(std::uint64_t value, std::uint64_t least, std::uint64_t most,
                               const char* what);

/// Throws Malformed unless `value` is below `limit`. `what` names it in the message: "table".
inline void check_below(std::uint64_t value, std::uint64_t limit, const char* what) {
  if (value >= limit) [[unlikely]]
    refuse_value(value, 0, limit - 1, what);
}

/// Throws Malformed unless `value` is at least `least` and at most `most`.
inline void check_within(std::uint64_t value, std::uint64_t least, std::uint64_t most,
                         const char* what) {
  if (value < least || value > most) [[unlikely]]
    refuse_value(value, least, most, what);
}

/// A boolean in messages and files, where its byte may have any value: all but 0 are true.
class Flag {
 public:
  constexpr Flag() = default;
  constexpr Flag(bool yes) : byte_(yes ? 1 : 0) {}        // NOLINT(google-explicit-constructor)
  constexpr operator bool() const { return byte_ != 0; }  // NOLINT(google-explicit-constructor)

 private:
  std::uint8_t byte_ = 0;
};
static_assert(sizeof(Flag) == 1);

}  // namespace verbena
