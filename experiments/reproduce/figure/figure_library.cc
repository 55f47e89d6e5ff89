// Names of figures, and what is meant by them.
#include "experiments/reproduce/figure/figure_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "experiments/config/keys/units.h"
#include "experiments/reproduce/figure/table_reader.h"
#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {
namespace {

constexpr std::string_view kSuffix = ".toml";
constexpr std::string_view kPresets = "presets/";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// True if `a` comes before `b`, where runs of digits count as numbers.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      char* after_a = nullptr;
      char* after_b = nullptr;
      const unsigned long long x = std::strtoull(a.c_str() + i, &after_a, 10);
      const unsigned long long y = std::strtoull(b.c_str() + j, &after_b, 10);
      if (x != y) return x < y;
      i = static_cast<std::size_t>(after_a - a.c_str());
      j = static_cast<std::size_t>(after_b - b.c_str());
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::vector<std::string> meant_by(const std::string& argument,
                                  const std::vector<std::string>& names) {
  if (argument.ends_with(kSuffix)) return {argument};
  if (argument == "all") return names;
  std::vector<std::string> known = names;
  known.emplace_back("all");
  if (argument.ends_with("/all")) {
    const std::string group = argument.substr(0, argument.size() - 3);
    std::vector<std::string> members;
    for (const std::string& name : names) {
      if (name.starts_with(group)) members.push_back(name);
    }
    if (!members.empty()) return members;
  }
  if (std::find(names.begin(), names.end(), argument) != names.end()) return {argument};
  for (const std::string& name : names) known.push_back(name.substr(0, name.find('/')) + "/all");
  throw ConfigurationError(
      fmt::format("unknown figure '{}'{} (verbena reproduce "
                  "--list shows all; a file ends in .toml)",
                  printable(argument), did_you_mean(argument, known)));
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const std::string& path : built_in_figure_paths()) {
    if (path.ends_with(kSuffix) && !path.starts_with(kPresets))
      names.push_back(path.substr(0, path.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const std::string& path : built_in_figure_paths()) {
    if (!path.starts_with(kPresets)) continue;
    names.push_back(path.substr(kPresets.size(), path.size() - kPresets.size() - kSuffix.size()));
  }
  return names;
}

std::vector<Assignment> preset_settings(const std::string& name) {
  const std::string file = std::string(kPresets) + name + std::string(kSuffix);
  const std::string* text = built_in_figure_text(file);
  if (text == nullptr) {
    throw ConfigurationError(
        fmt::format("unknown preset '{}'{}", printable(name), did_you_mean(name, preset_names())));
  }
  const toml::table table = parse_toml_table(file, *text);
  return TableReader(file, table, "a preset", {"settings"}).settings("settings");
}

std::vector<std::string> selected_figures(const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = figure_names();
  std::vector<std::string> selected;
  for (const std::string& argument : arguments) {
    for (std::string& name : meant_by(argument, names)) {
      if (std::find(selected.begin(), selected.end(), name) == selected.end()) {
        selected.push_back(std::move(name));
      }
    }
  }
  return selected;
}

}  // namespace verbena::experiments
