// Tables and the document.
#include "experiments/compare/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/config/keys/units.h"
#include "experiments/points/quantity.h"
#include "experiments/report/text/text_table.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;
using Row = std::vector<std::string>;

constexpr std::size_t kLabelWidth = 16;

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, kLabelWidth, text);
}

std::string side_text(const ComparedSide& side) {
  return fmt::format("{} (commit {}): {}", printable(side.name), side.commit, side.command_line);
}

bool ignores_conflicts(const ComparedSide& side) {
  return std::ranges::any_of(side.results,
                             [](const PointResult& result) { return result.conflicts_ignored; });
}

// Empty where both are isolated.
std::string isolation_line(const SidesCompared& compared) {
  const bool before = ignores_conflicts(*compared.before);
  const bool after = ignores_conflicts(*compared.after);
  if (!before && !after) return "";
  const char* const where = !after ? "A" : !before ? "B" : "A and B";
  return line(
      "not isolated",
      fmt::format("conflicts are ignored in {}: the results there are not serializable", where));
}

// Which settings differ: key, before, after.
std::vector<std::array<std::string, 3>> setting_differences(const SidesCompared& compared) {
  std::vector<std::array<std::string, 3>> found;
  const auto& before = compared.before->settings;
  const auto& after = compared.after->settings;
  for (const auto& [key, value] : before) {
    const auto other = after.find(key);
    const std::string text = other == after.end() ? "" : other->second;
    const bool same_contents =
        compared.before->by_contents(key, value) == compared.after->by_contents(key, text);
    if (text != value && !same_contents) found.push_back({key, value, text});
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) found.push_back({key, "", value});
  }
  return found;
}

// Files of both sides that had different contents.
std::vector<std::string> different_files(const SidesCompared& compared) {
  std::vector<std::string> found;
  for (const auto& [path, digest] : compared.before->files) {
    const auto other = compared.after->files.find(path);
    if (other != compared.after->files.end() && other->second != digest) found.push_back(path);
  }
  return found;
}

// Paths of files of `side` whose contents `other` does not have by any path.
std::vector<std::string> own_files(const ComparedSide& side, const ComparedSide& other) {
  std::vector<std::string> found;
  for (const auto& [path, digest] : side.files) {
    const bool is_shared = std::ranges::any_of(
        other.files, [&](const auto& each) { return each.first == path || each.second == digest; });
    if (!is_shared) found.push_back(path);
  }
  return found;
}

std::string own_files_text(const ComparedSide& side, const ComparedSide& other, char name) {
  std::vector<std::string> own = own_files(side, other);
  if (own.empty()) return "";
  for (std::string& path : own) path = printable(path);
  const std::string paths = fmt::format("{}", fmt::join(own, ", "));
  if (other.tells_files) return line(fmt::format("named by {} only", name), paths);
  return line("not compared",
              fmt::format("{}, of {}: {} has no config.files", paths, name, printable(other.name)));
}

std::string changes_text(const ComparedSide& side, char name) {
  std::string text;
  for (const std::string& path : side.changed_files) {
    text += line("changed since",
                 fmt::format("{} is not as it was when {} was written", printable(path), name));
  }
  for (const std::string& path : side.gone_files) {
    text += line("gone since", fmt::format("{}, of {}", printable(path), name));
  }
  return text;
}

std::string shown(const std::string& value) { return value.empty() ? "-" : printable(value); }

std::string label_of(const ComparedQuantity& quantity) {
  if (quantity.is_share()) return "aborts [%]";
  const std::string unit = quantity_unit(quantity.name);
  return fmt::format("{} [{}]", quantity.name == "mean" ? "mean latency" : quantity.name, unit);
}

Row quantity_cells(const ComparedPlace& place, const ComparedQuantity& quantity) {
  const double scale = quantity.is_share() ? 100 : 1;
  Row row{label_of(quantity), fmt::format("{:.4g}", scale * quantity.before),
          fmt::format("{:.4g}", scale * quantity.after)};
  row.push_back(quantity.is_share()
                    ? fmt::format("{:+.3f}", scale * (quantity.after - quantity.before))
                    : fmt::format("{:.4f}", quantity.after / quantity.before));
  if (place.identical) {
    row.emplace_back("");
    row.emplace_back("identical");
    return row;
  }
  if (!quantity.change) {
    row.emplace_back("");
    row.emplace_back(quantity.judged ? judgement_name(quantity.judgement) : "");
    return row;
  }
  const auto [low, high] = quantity.interval();
  row.push_back(quantity.is_share() ? fmt::format("{:+.3f} to {:+.3f}", scale * low, scale * high)
                                    : fmt::format("{:.4f} to {:.4f}", low, high));
  row.emplace_back(quantity.judged ? judgement_name(quantity.judgement) : "");
  return row;
}

std::string quantity_table(const SidesCompared& compared) {
  Row head;
  for (const auto& value : compared.places.front().values) head.push_back(value.first);
  const std::size_t keys = head.size();
  head.insert(head.end(), {"", "A", "B", "B/A", "95 %", ""});
  std::vector<Row> rows{head};
  for (const ComparedPlace& place : compared.places) {
    for (const ComparedQuantity& quantity : place.quantities) {
      // Quantities that are not judged are left out where there are several points.
      if (!quantity.judged && compared.places.size() > 1) continue;
      if (std::isnan(quantity.before) || std::isnan(quantity.after)) continue;
      Row row;
      for (const auto& value : place.values) row.push_back(shown(value.second));
      const Row cells = quantity_cells(place, quantity);
      row.insert(row.end(), cells.begin(), cells.end());
      rows.push_back(std::move(row));
    }
  }
  return aligned(rows, keys + 1);
}

std::string phase_table(const ComparedPlace& place) {
  if (place.phases.empty()) return "";
  std::vector<Row> rows{{"time per transaction [us]", "A", "B", "B-A"}};
  for (const ComparedPhase& phase : place.phases) {
    rows.push_back({phase.after_latency ? phase.name + " (behind latency)" : phase.name,
                    fmt::format("{:.3f}", phase.before_us), fmt::format("{:.3f}", phase.after_us),
                    fmt::format("{:+.3f}", phase.after_us - phase.before_us)});
  }
  return "\n" + aligned(rows, 1);
}

// Counts the points that are only on one side, and warns where intervals promise too much.
std::string reservations_text(const SidesCompared& compared) {
  std::string text;
  if (compared.unmatched > 0) {
    text += "; " + counted(compared.unmatched, "point is", "points are") + " on one side only";
  }
  const bool unsteady = std::ranges::any_of(compared.places, [](const ComparedPlace& place) {
    return place.unsteady && !place.identical;
  });
  if (unsteady) text += "; some runs are not steady, so their intervals are too narrow";
  return text;
}

std::string verdict_text(const SidesCompared& compared) {
  const std::size_t identical = compared.identical();
  if (identical == compared.places.size()) {
    return "B is not worse: A and B are identical in all measured values" +
           reservations_text(compared);
  }
  std::size_t count[5] = {};
  for (const ComparedPlace& place : compared.places) {
    for (const ComparedQuantity& quantity : place.quantities) {
      if (quantity.change && quantity.judged && !place.identical) {
        ++count[static_cast<std::size_t>(quantity.judgement)];
      }
    }
  }
  const auto of = [&](Judgement judgement) { return count[static_cast<std::size_t>(judgement)]; };
  std::string text = compared.worse() ? "B is worse" : "B is not worse";
  if (compared.tolerance > 0) text += fmt::format(" by more than {:g} %", 100 * compared.tolerance);
  text += fmt::format(": of {}, {} worse, {} better, {} unchanged within chance",
                      counted(compared.judged, "quantity", "quantities"),
                      counted(of(Judgement::kTooMuchWorse) + of(Judgement::kWorse), "is", "are"),
                      of(Judgement::kBetter), of(Judgement::kSame));
  if (identical > 0) text += "; " + counted(identical, "point is", "points are") + " identical";
  return text + reservations_text(compared);
}

json quantity_document(const ComparedQuantity& quantity) {
  json document = {{"before", quantity.before},
                   {"after", quantity.after},
                   {"interval_95", nullptr},
                   {"judged", quantity.judged},
                   {"judgement", judgement_name(quantity.judgement)}};
  document[quantity.is_share() ? "difference" : "ratio"] =
      quantity.is_share() ? quantity.after - quantity.before : quantity.after / quantity.before;
  if (quantity.change) {
    const auto [low, high] = quantity.interval();
    document["interval_95"] = {low, high};
  }
  return document;
}

json place_document(const ComparedPlace& place) {
  json document = {{"values", place.values},       {"runs", {place.runs_before, place.runs_after}},
                   {"identical", place.identical}, {"steady", !place.unsteady},
                   {"quantities", json::object()}, {"phases_us", json::object()}};
  for (const ComparedQuantity& quantity : place.quantities) {
    if (std::isnan(quantity.before) || std::isnan(quantity.after)) continue;
    document["quantities"][quantity.name] = quantity_document(quantity);
  }
  for (const ComparedPhase& phase : place.phases) {
    document["phases_us"][phase.name] = {phase.before_us, phase.after_us};
  }
  return document;
}

json side_document(const ComparedSide& side, const ComparedSide& other) {
  return {{"name", side.name},
          {"commit", side.commit},
          {"command_line", side.command_line},
          {"own_files", other.tells_files ? json(own_files(side, other)) : json()},
          {"changed_files", side.changed_files},
          {"gone_files", side.gone_files},
          {"conflicts_ignored", ignores_conflicts(side)}};
}

}  // namespace

std::string comparison_table(const SidesCompared& compared) {
  std::string text = line("A", side_text(*compared.before));
  text += line("B", side_text(*compared.after));
  const char* label = "differ in";
  for (const auto& [key, before, after] : setting_differences(compared)) {
    text +=
        line(std::exchange(label, ""), fmt::format("{}: {}, {}", key, shown(before), shown(after)));
  }
  for (const std::string& path : different_files(compared)) {
    text += line(std::exchange(label, ""), fmt::format("contents of {}", printable(path)));
  }
  text += own_files_text(*compared.before, *compared.after, 'A');
  text += own_files_text(*compared.after, *compared.before, 'B');
  text += changes_text(*compared.before, 'A') + changes_text(*compared.after, 'B');
  text += isolation_line(compared);
  text += "\n" + quantity_table(compared);
  if (compared.places.size() == 1) text += phase_table(compared.places.front());
  return text + "\n" + line("verdict", verdict_text(compared));
}

std::string comparison_document(const SidesCompared& compared) {
  json document = {{"schema", {{"name", "verbena.comparison"}, {"version", 1}}},
                   {"before", side_document(*compared.before, *compared.after)},
                   {"after", side_document(*compared.after, *compared.before)},
                   {"differ_in", json::object()},
                   {"different_files", different_files(compared)},
                   {"tolerance", compared.tolerance},
                   {"worse", compared.worse()},
                   {"unmatched", compared.unmatched},
                   {"points", json::array()}};
  for (const auto& [key, before, after] : setting_differences(compared)) {
    document["differ_in"][key] = {before, after};
  }
  for (const ComparedPlace& place : compared.places) {
    document["points"].push_back(place_document(place));
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace verbena::experiments
