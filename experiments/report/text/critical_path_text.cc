// Rows of places and their parts.
#include "experiments/report/text/critical_path_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace verbena::experiments {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kNameWidth = 34;
/// Least share of the mean latency, or of that of the slowest, that is told by itself: what is less
/// is told together with others.
constexpr double kLeastShare = 0.01;

struct Sum {
  double mean_ns = 0;
  double slowest_mean_ns = 0;

  void add(const CriticalPath::Row& row) {
    mean_ns += row.mean_ns;
    slowest_mean_ns += row.slowest_mean_ns;
  }
};

std::string cells(const CriticalPath& path, const std::string& name, const Sum& sum) {
  return fmt::format("{:<{}}{:>10.3f}{:>8.1f} %{:>12.3f}{:>8.1f} %", name, kNameWidth,
                     sum.mean_ns / 1000, 100 * sum.mean_ns / path.mean_ns,
                     sum.slowest_mean_ns / 1000, 100 * sum.slowest_mean_ns / path.slowest_mean_ns);
}

bool is_told(const CriticalPath& path, const CriticalPath::Row& row) {
  return row.mean_ns >= kLeastShare * path.mean_ns ||
         row.slowest_mean_ns >= kLeastShare * path.slowest_mean_ns;
}

void add_place(Lines& lines, const CriticalPath& path, Place place) {
  Sum all;
  Sum others;
  std::size_t untold = 0;
  std::vector<std::string> parts;
  for (const CriticalPath::Row& row : path.rows) {
    if (row.part.place != place) continue;
    all.add(row);
    if (is_told(path, row)) {
      Sum one;
      one.add(row);
      parts.push_back(cells(
          path, fmt::format("{}{}", row.part.waiting() ? "  . " : "  ", part_name(row.part)), one));
    } else {
      others.add(row);
      ++untold;
    }
  }
  if (all.mean_ns == 0) return;
  lines.emplace_back("", cells(path, place_name(place), all));
  for (std::string& part : parts) lines.emplace_back("", std::move(part));
  if (untold > 0 && !parts.empty()) {
    lines.emplace_back("", cells(path, fmt::format("  {} more", untold), others));
  }
}

}  // namespace

Lines critical_path_lines(const CriticalPath& path) {
  Lines lines;
  if (path.transactions == 0) return lines;
  const double share =
      100 * static_cast<double>(path.slowest) / static_cast<double>(path.transactions);
  lines.emplace_back("critical path",
                     fmt::format("{:<{}}{:>10}{:>10}{:>12}", "(. waiting)", kNameWidth, "us", "",
                                 fmt::format("slowest {:.1f} %", share)));
  for (const Place place :
       {Place::kOwnCore, Place::kOwnNic, Place::kNetwork, Place::kOtherNic, Place::kOtherCore}) {
    add_place(lines, path, place);
  }
  lines.emplace_back("", cells(path, "all", {path.mean_ns, path.slowest_mean_ns}));
  Sum waiting;
  for (const CriticalPath::Row& row : path.rows) {
    if (row.part.waiting()) waiting.add(row);
  }
  lines.emplace_back("", cells(path, "  . of it waiting", waiting));
  lines.emplace_back(
      "", fmt::format("{:<{}}{:>10.2f}{:>10}{:>12.2f}", "requests, one after another", kNameWidth,
                      path.requests, "", path.slowest_requests));
  return lines;
}

}  // namespace verbena::experiments
