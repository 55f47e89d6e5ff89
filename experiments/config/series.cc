// Finding lists, and all combinations of their values.
#include "experiments/config/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/base/text/split.h"

namespace verbena::experiments {
namespace {

constexpr std::array<std::string_view, 20> kNoLists = {
    "fabric", "json",     "node",  "peers", "device",    "port",   "gid-index", "bring-up-timeout",
    "trace",  "out",      "jobs",  "fresh", "vary-seed", "repeat", "x",         "series",
    "y",      "progress", "shard", "gather"};

// Keys of a series, which a single measurement is not asked for.
constexpr std::array<std::string_view, 11> kOfSeries = {
    "repeat", "vary-seed", "jobs", "out", "fresh", "shard", "gather", "x", "series", "y", "json"};

template <typename Names>
bool contains(const Names& names, const std::string& key) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

// True if commas are part of one value.
bool has_own_commas(const Assignment& assignment) {
  if (assignment.key == "plan") return true;
  if (assignment.key == "topology") return assignment.value.find(':') != std::string::npos;
  std::error_code error;
  return assignment.value.find('/') != std::string::npos &&
         std::filesystem::exists(assignment.value, error);
}

// FIRST..LAST, +STEP or *FACTOR.
struct Range {
  double first;
  double last;
  bool multiplies = false;
  double step = 1;
  std::string unit;
};

[[noreturn]] void refuse_range(const Assignment& said, const std::string& text,
                               const std::string& why) {
  throw PlacedError(fmt::format("{}: {}{}: {}", said.place,
                                is_override(said.key) ? said.key + " = " : "", refused_text(text),
                                why));
}

std::optional<Range> range_of(const Assignment& said, const std::string& text) {
  static const std::regex form(R"((-?\d+(?:\.\d+)?)([a-zA-Z]*)\.\.(-?\d+(?:\.\d+)?)([a-zA-Z]*))"
                               R"((?:([+*])(\d+(?:\.\d+)?)([a-zA-Z]*))?)");
  // The library's search for it takes a frame of the stack for each character.
  constexpr std::size_t kLongest = 200;
  std::smatch part;
  if (text.size() > kLongest || !std::regex_match(text, part, form)) return std::nullopt;
  const auto number = [&](std::size_t i) {
    const auto value = parse_real(part[i].str());
    if (!value) refuse_range(said, text, "has a number that is too large");
    return *value;
  };
  Range range{.first = number(1), .last = number(3), .unit = part[4]};
  range.multiplies = part[5] == "*";
  if (part[6].matched) range.step = number(6);
  const bool alike = (part[2].length() == 0 || part[2] == part[4]) &&
                     (part[7].length() == 0 || (part[7] == part[4] && !range.multiplies));
  if (!alike) refuse_range(said, text, "the units of a range are the same");
  if (range.last < range.first) refuse_range(said, text, "the range ends before it begins");
  const bool goes_on = range.multiplies ? range.step > 1 && range.first > 0 : range.step > 0;
  if (!goes_on) {
    refuse_range(said, text,
                 "the range never ends; expected +STEP above 0, or *FACTOR above 1 "
                 "from above 0 on");
  }
  return range;
}

void add_range(const Assignment& said, const std::string& text, const Range& range,
               std::vector<std::string>& values) {
  // A last value that rounding puts beyond the end is still there.
  const double end = range.last + 1e-9 * std::abs(range.last);
  double value = range.first;
  for (std::size_t i = 1; value <= end; ++i) {
    values.push_back(fmt::format("{:.15g}{}", value, range.unit));
    if (values.size() > kMostMeasurements) {
      refuse_range(said, text, fmt::format("has more than {} values", kMostMeasurements));
    }
    const auto steps = static_cast<double>(i);
    value = range.multiplies ? range.first * std::pow(range.step, steps)
                             : range.first + range.step * steps;
  }
}

[[noreturn]] void refuse_list(const Assignment& said, const std::string& why) {
  throw PlacedError(fmt::format("{}{}{}: {}", said.place,
                                is_override(said.key) ? ": " + said.key + " = " : " ",
                                refused_text(said.value), why));
}

// The same measurement twice is no more than one, and would pass for two.
void refuse_repeated(const Assignment& said, std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice != values.end()) refuse_list(said, refused_text(*twice) + " appears twice");
}

// One or more values.
std::vector<std::string> values_of(const Assignment& assignment) {
  if (takes_no_list(assignment.key)) return {assignment.value};
  if (assignment.value.find('|') != std::string::npos) return split(assignment.value, '|');
  if (has_own_commas(assignment)) return {assignment.value};
  std::vector<std::string> values;
  const std::vector<std::string> texts = split(assignment.value, ',');
  for (const std::string& text : texts) {
    if (text.empty() && texts.size() > 1) refuse_list(assignment, "an entry of the list is empty");
    if (const auto range = range_of(assignment, text)) {
      add_range(assignment, text, *range, values);
    } else {
      values.push_back(text);
    }
  }
  refuse_repeated(assignment, values);
  return values;
}

template <typename Visit>
void for_each_assignment(CommandLine& line, Visit&& visit) {
  for (auto* layer : {&line.config, &line.flags, &line.sets}) {
    for (Assignment& assignment : *layer) visit(assignment);
  }
}

using Lists = std::map<std::string, std::vector<std::string>>;

// Lists that no later layer replaces by a single value. What is said of them is left in the first
// layer that says it.
Lists effective_lists(CommandLine line) {
  Lists lists;
  for_each_assignment(line, [&](const Assignment& assignment) {
    lists.erase(assignment.key);
    if (auto values = listed_values(assignment)) {
      lists.insert_or_assign(assignment.key, std::move(*values));
    }
  });
  return lists;
}

bool is_plain(const std::string& value) {
  return !value.empty() && value.find(',') == std::string::npos;
}

// `line` with one value of each list. An empty one between bars is as if nothing had been said.
CommandLine combination(CommandLine line, const std::map<std::string, std::string>& chosen) {
  std::set<std::string> barred;
  for_each_assignment(line, [&](const Assignment& assignment) {
    const bool bars = assignment.value.find('|') != std::string::npos;
    if (bars && chosen.contains(assignment.key)) barred.insert(assignment.key);
  });
  for_each_assignment(line, [&](Assignment& assignment) {
    const auto value = chosen.find(assignment.key);
    assignment.value = value != chosen.end() ? value->second : values_of(assignment).front();
  });
  for (auto* layer : {&line.config, &line.flags, &line.sets}) {
    std::erase_if(*layer, [&](const Assignment& assignment) {
      return assignment.value.empty() && barred.contains(assignment.key);
    });
  }
  return line;
}

}  // namespace

std::string list_text(const std::string& key, const std::vector<std::string>& values) {
  const bool commas = key != "plan" && std::all_of(values.begin(), values.end(), is_plain);
  return fmt::format("{}", fmt::join(values, commas ? "," : "|"));
}

bool takes_no_list(const std::string& key) { return contains(kNoLists, key); }

std::optional<std::vector<std::string>> listed_values(const Assignment& assignment) {
  std::vector<std::string> values = values_of(assignment);
  if (values.size() < 2) return std::nullopt;
  return values;
}

Series expand_lists(const CommandLine& line) {
  const Lists lists = effective_lists(line);
  Series series;
  std::size_t count = 1;
  for (const auto& [key, values] : lists) {
    series.lists[key] = list_text(key, values);
    count *= values.size();
    if (count > kMostMeasurements) {
      throw ConfigurationError(fmt::format("{}: the lists combine to more than {} measurements",
                                           key, kMostMeasurements));
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    std::map<std::string, std::string> chosen;
    std::size_t rest = index;
    for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
      chosen[list->first] = list->second[rest % list->second.size()];
      rest /= list->second.size();
    }
    series.lines.push_back(combination(line, chosen));
  }
  return series;
}

CommandLine single_line(CommandLine line, std::optional<std::uint64_t> seed) {
  for (auto* layer : {&line.config, &line.flags, &line.sets}) {
    std::erase_if(*layer, [&](const Assignment& assignment) {
      return contains(kOfSeries, assignment.key) || (seed && assignment.key == "seed");
    });
  }
  if (seed) line.sets.push_back({"seed", std::to_string(*seed), "--seed"});
  return line;
}

std::uint64_t repeated_seed(std::uint64_t seed, std::uint32_t repetition,
                            const std::string& place) {
  if (repetition == 0 && place.empty()) return seed;
  std::uint64_t hash = mix64(seed);
  for (const char c : place) hash = mix64(hash ^ static_cast<unsigned char>(c));
  // Short enough to be read, and to be a number in any JSON reader.
  return mix64(hash + repetition) >> 32;
}

}  // namespace verbena::experiments
