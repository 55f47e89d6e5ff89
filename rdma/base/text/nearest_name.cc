// Optimal string alignment distance, three rows at a time.
#include "rdma/base/text/nearest_name.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/base/text/lower_case.h"

namespace verbena {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = lower_case(a[i - 1]) == lower_case(b[j - 1]) ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + substitution});
      const bool swapped = i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                           lower_case(a[i - 2]) == lower_case(b[j - 1]);
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

// Length of the section that both names have in common with all that ends it: "nic.", "drtmh/".
std::size_t common_section(std::string_view a, std::string_view b) {
  const std::size_t end = std::min(a.find_last_of("./"), b.find_last_of("./"));
  if (end == std::string_view::npos || distance(a.substr(0, end + 1), b.substr(0, end + 1)) != 0) {
    return 0;
  }
  return end + 1;
}

// A section in common does not make up for a nonsense behind it.
bool is_near(std::string_view wanted, std::string_view name, std::size_t edits) {
  const std::size_t longer = std::max(wanted.size(), name.size());
  const std::size_t section = common_section(wanted, name);
  return edits <= longer / 3 && (section == 0 || edits <= (longer - section) / 2);
}

// How well a name fits, best first; what is not near at all is not compared.
enum class Fit : std::uint8_t { kBegun, kNear, kBegunNearly, kNone };

struct Rank {
  Fit fit;
  std::size_t edits;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(std::string_view wanted, std::string_view name) {
  const std::size_t edits = distance(wanted, name);
  if (begins(wanted, name)) return {Fit::kBegun, edits};
  if (is_near(wanted, name, edits)) return {Fit::kNear, edits};
  if (wanted.size() >= name.size()) return {Fit::kNone, edits};
  const std::size_t of_beginning = distance(wanted, name.substr(0, wanted.size()));
  const bool nearly = of_beginning > 0 && of_beginning <= wanted.size() / 5;
  return {nearly ? Fit::kBegunNearly : Fit::kNone, of_beginning};
}

std::string_view shortened(std::string_view wanted) {
  // A mistyped name is short; what is pasted by accident need not be compared to its end.
  return wanted.substr(0, 256);
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string> known) {
  wanted = shortened(wanted);
  const std::string* nearest = nullptr;
  Rank least{Fit::kNone, 0};
  for (const std::string& name : known) {
    const Rank rank = rank_of(wanted, name);
    if (rank.fit == Fit::kNone || (nearest != nullptr && rank >= least)) continue;
    nearest = &name;
    least = rank;
  }
  return nearest == nullptr ? std::string() : *nearest;
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known,
                                       std::size_t most) {
  wanted = shortened(wanted);
  std::vector<std::pair<std::size_t, const std::string*>> names;
  for (const std::string& name : known) names.emplace_back(distance(wanted, name), &name);
  std::ranges::stable_sort(names, {}, &std::pair<std::size_t, const std::string*>::first);
  std::vector<std::string> nearest;
  for (const auto& [edits, name] : names) {
    if (nearest.size() < most) nearest.push_back(*name);
  }
  return nearest;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
  const std::string name = nearest_name(wanted, known);
  return name.empty() ? name : "; did you mean " + name + "?";
}

}  // namespace verbena
