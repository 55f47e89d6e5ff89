// Formats numbers with prefixes, and texts for one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rdma/base/value_text.h"

namespace verbena::experiments {

/// Formats three significant digits with a decimal prefix: 1234567 is "1.23 M", 12 is "12.0 ".
std::string format_scaled(double value);

/// Formats at least `digits` significant digits without an exponent: with 3, 1234567 is "1234567"
/// and 0.5 is "0.5".
std::string format_plain(double value, int digits);

/// Formats bytes with a binary prefix: "1.50 GiB".
std::string format_bytes(std::uint64_t bytes);

/// Makes `text` fit one line of a message: control characters and bytes that are not UTF-8 become
/// '?', and text beyond `longest` bytes becomes "...".
std::string printable(std::string_view text, std::size_t longest = 200);

/// Returns quoted_if_odd(text), printable, for a message that refuses this value.
std::string refused_text(std::string_view text);

}  // namespace verbena::experiments
