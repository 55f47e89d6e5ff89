// Values as people write them: numbers, times with units, on and off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rdma/base/time.h"

namespace verbena {

/// A whole number in decimal digits; nothing when `text` is something else or does not fit.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// A finite decimal number, e.g. "0.01" or "1e-3"; nothing when `text` is something else.
std::optional<double> parse_real(std::string_view text);

/// "true", "on", "yes", "1" and their opposites, in any case.
std::optional<bool> parse_switch(std::string_view text);

/// A non-negative number with one of the units ns, us, ms, s, min, e.g. "1.5s"; rounded to
/// nanoseconds. Nothing when `text` is something else, lacks the unit or does not fit.
std::optional<Nanoseconds> parse_duration(std::string_view text);

/// The shortest text that parse_duration takes back to exactly `duration`, e.g. "1500us", "2ms".
std::string format_duration(Nanoseconds duration);

/// `text` for messages: in single quotes where it is empty or has blanks or control characters.
std::string quoted_if_odd(std::string_view text);

/// The shortest text that parse_real takes back to exactly `value`.
std::string format_real(double value);

}  // namespace verbena
