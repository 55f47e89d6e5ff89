// Numbers with prefixes, as people read them, and texts made fit for a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rdma/base/value_text.h"

namespace verbena::experiments {

/// Three significant digits with a decimal prefix: 1234567 is "1.23 M", 12 is "12.0 ".
std::string format_scaled(double value);

/// At least `digits` significant digits, never an exponent: of 3, 1234567 is "1234567", 0.5 "0.5".
std::string format_plain(double value, int digits);

/// Bytes with a binary prefix: "1.50 GiB".
std::string format_bytes(std::uint64_t bytes);

/// `text` made fit for one line of a message: control characters and bytes that are not UTF-8
/// become '?', and what is beyond `longest` bytes "...".
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace verbena::experiments
