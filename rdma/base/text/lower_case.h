// Letters without their case.
#pragma once

#include <algorithm>
#include <string>

namespace verbena {

/// Returns the small letter of a capital of ASCII, and any other character as it is, in every
/// locale.
constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Returns `text` in small letters.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return lower_case(c); });
  return text;
}

}  // namespace verbena
