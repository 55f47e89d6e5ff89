// Numbers with units, as people write and read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rdma/base/time.h"

namespace verbena::experiments {

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

/// Three significant digits with a decimal prefix: 1234567 is "1.23 M", 12 is "12.0 ".
std::string format_scaled(double value);

/// At least `digits` significant digits, never an exponent: of 3, 1234567 is "1234567", 0.5 "0.5".
std::string format_plain(double value, int digits);

/// Bytes with a binary prefix: "1.50 GiB".
std::string format_bytes(std::uint64_t bytes);

/// `text` made fit for one line of a message: control characters and bytes that are not UTF-8
/// become
/// '?', and what is beyond `longest` bytes "...".
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace verbena::experiments
