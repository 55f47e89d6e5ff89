// Widths first, then the lines.
#include "experiments/report/text/text_table.h"

#include <algorithm>
#include <cstddef>

namespace verbena::experiments {
namespace {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xc0) != 0x80; }));
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left_aligned) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool last = i + 1 == row.size();
      text += i < left_aligned ? row[i] + (last ? "" : padding) : padding + row[i];
      if (!last) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace verbena::experiments
