// Optimal string alignment distance, three rows at a time.
#include "rdma/base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace verbena {
namespace {

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + substitution});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

bool begins(std::string_view wanted, std::string_view name) {
  return wanted.size() >= 2 && wanted.size() < name.size() &&
         distance(wanted, name.substr(0, wanted.size())) == 0;
}

bool is_near(std::string_view wanted, std::string_view name, std::size_t edits) {
  return edits <= std::max(wanted.size(), name.size()) / 3;
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string> known) {
  // A mistyped name is short; what is pasted by accident need not be compared to its end.
  wanted = wanted.substr(0, 256);
  const std::string* nearest = nullptr;
  std::pair<bool, std::size_t> least;  // what is begun comes before what is not
  for (const std::string& name : known) {
    const std::pair<bool, std::size_t> rank{!begins(wanted, name), distance(wanted, name)};
    if (rank.first && !is_near(wanted, name, rank.second)) continue;
    if (nearest != nullptr && rank >= least) continue;
    nearest = &name;
    least = rank;
  }
  return nearest == nullptr ? std::string() : *nearest;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
  const std::string name = nearest_name(wanted, known);
  return name.empty() ? name : "; did you mean " + name + "?";
}

}  // namespace verbena
