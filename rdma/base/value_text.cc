// Reading and writing of values.
#include "rdma/base/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

#include "rdma/base/text/lower_case.h"

namespace verbena {
namespace {

struct TimeUnit {
  std::string_view name;
  Nanoseconds length;
};

// From the largest, so that the first one that divides a duration gives the shortest text.
constexpr std::array<TimeUnit, 5> kTimeUnits = {{{"min", 60 * kSecond},
                                                 {"s", kSecond},
                                                 {"ms", kMillisecond},
                                                 {"us", kMicrosecond},
                                                 {"ns", 1_ns}}};

template <typename Number>
std::optional<Number> parse_entirely(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  return parse_entirely<std::uint64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> value = parse_entirely<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<bool> parse_switch(std::string_view text) {
  const std::string lower = lower_case(std::string(text));
  if (lower == "true" || lower == "on" || lower == "yes" || lower == "1") return true;
  if (lower == "false" || lower == "off" || lower == "no" || lower == "0") return false;
  return std::nullopt;
}

std::optional<Nanoseconds> parse_duration(std::string_view text) {
  const std::size_t number_end = text.find_last_of("0123456789.") + 1;  // npos + 1 == 0
  const auto unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& u) {
    return u.name == text.substr(number_end);
  });
  if (unit == kTimeUnits.end()) return std::nullopt;
  const std::string_view number = text.substr(0, number_end);
  if (const auto whole = parse_whole(number)) {
    std::int64_t product = 0;
    if (*whole > INT64_MAX ||
        __builtin_mul_overflow(static_cast<std::int64_t>(*whole), unit->length.count(), &product)) {
      return std::nullopt;
    }
    return Nanoseconds(product);
  }
  const auto real = parse_real(number);
  if (!real || *real < 0 || std::signbit(*real)) return std::nullopt;
  const double nanoseconds = *real * static_cast<double>(unit->length.count());
  if (nanoseconds >= 9.2e18) return std::nullopt;
  return Nanoseconds(std::llround(nanoseconds));
}

std::string format_duration(Nanoseconds duration) {
  if (duration == 0) return "0s";
  const auto unit = std::find_if(kTimeUnits.begin() + 1, kTimeUnits.end(),
                                 [&](const TimeUnit& u) { return duration % u.length == 0; });
  return std::to_string(duration / unit->length).append(unit->name);
}

std::string quoted_if_odd(std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::none_of(text, [](char c) {
    return (c >= '\0' && c <= ' ') || c == '\x7f';
  });
  std::string quoted(text);
  return is_plain ? quoted : "'" + quoted + "'";
}

std::string format_real(double value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

}  // namespace verbena
