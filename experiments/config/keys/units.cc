// Numbers with prefixes, and texts made fit for a line.
#include "experiments/config/keys/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace verbena::experiments {
namespace {

// The length of the UTF-8 sequence that `text` begins with; 0 when it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80                       ? 1
                             : byte(0) >= 0xc2 && byte(0) <= 0xdf ? 2
                             : byte(0) >= 0xe0 && byte(0) <= 0xef ? 3
                             : byte(0) >= 0xf0 && byte(0) <= 0xf4 ? 4
                                                                  : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool beyond = (byte(0) == 0xed && byte(1) > 0x9f) || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string format_scaled(double value) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  // 999.5 would be rounded up to four digits.
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, kPrefixes[prefix]);
}

std::string format_plain(double value, int digits) {
  std::string text = fmt::format("{:.{}g}", value, digits);
  if (text.find('e') == std::string::npos) return text;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - magnitude));
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t prefix = 0;
  while (value >= 1024 && prefix + 1 < kPrefixes.size()) {
    value /= 1024;
    ++prefix;
  }
  return fmt::format("{:.{}f} {}", value, prefix == 0 ? 0 : 2, kPrefixes[prefix]);
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (result.size() + length > longest) return result + "...";
    const bool control =
        length == 0 || (length == 1 && (text[0] < ' ' || text[0] == '\x7f')) ||
        (length == 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0);
    if (control) {
      result += '?';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string refused_text(std::string_view text) { return printable(quoted_if_odd(text)); }

}  // namespace verbena::experiments
