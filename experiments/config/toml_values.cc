// TOML tables flattened into assignments.
#include "experiments/config/toml_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/config/commands/registry.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/key_depth.h"

namespace verbena::experiments {
namespace {

// The value of a leaf as a flag would spell it.
std::string leaf_text(const toml::node& node, const std::string& key, const std::string& place) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) {
    // A number that is written with a point or an exponent, 1e3, stays one that is not whole.
    const std::string text = fmt::format("{}", number->get());
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* list = node.as_array()) {
    std::vector<std::string> values;
    for (const toml::node& element : *list) {
      if (element.is_array() || element.is_table()) {
        throw ConfigurationError(place + ": expected a list of strings, numbers, true or false");
      }
      values.push_back(leaf_text(element, key, place));
    }
    return list_of(key, values);
  }
  throw ConfigurationError(place +
                           ": expected a string, a number, true or false, or a list of these");
}

// A section that has members is refused with the first of them.
void check_empty_section(const std::string& name, const std::string& place) {
  const Keys& known = known_keys();
  const auto inside = [&](const Key& key) { return key.name().starts_with(name + "."); };
  if (std::any_of(known.begin(), known.end(), inside)) return;
  throw ConfigurationError(find_key(known, name) != nullptr
                               ? fmt::format("{}: {}: expected a value", place, printable(name))
                               : fmt::format("{}: unknown section '{}'", place, printable(name)));
}

void flatten(const std::string& file, const std::string& section, const toml::table& table,
             std::vector<Assignment>& assignments) {
  for (const auto& [name, node] : table) {
    const std::string own_name(name.str());
    std::string key = section.empty() ? own_name : fmt::format("{}.{}", section, own_name);
    if (const toml::table* inner = node.as_table()) {
      if (inner->empty()) check_empty_section(key, toml_place(file, node.source()));
      flatten(file, key, *inner, assignments);
      continue;
    }
    if (own_name == "name" && find_key(known_keys(), section) != nullptr) key = section;
    const std::string place = toml_place(file, node.source());
    const std::string named =
        is_override(key) ? place : fmt::format("{}: {}", place, printable(key));
    if (node.is_array() && is_file_name(key)) {
      throw ConfigurationError(named + ": expected the name of one file, not a list");
    }
    assignments.push_back({key, leaf_text(node, key, named), named});
  }
}

}  // namespace

std::string toml_place(const std::string& file, const toml::source_region& source) {
  return fmt::format("{}:{}:{}", printable(file), source.begin.line, source.begin.column);
}

toml::table parse_toml_table(const std::string& file, const std::string& text) {
  if (const auto line = line_of_too_deep_key(text)) {
    throw ConfigurationError(
        fmt::format("{}:{}: a key has more than {} names", printable(file), *line, kDeepestKey));
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw ConfigurationError(
        fmt::format("{}: {}", toml_place(file, error.source()), printable(error.description())));
  }
}

bool is_file_name(const std::string& name) {
  const Key* key = find_key(known_keys(), name);
  return key != nullptr && key->parameter.placeholder.starts_with("FILE");
}

void add_toml_assignments(const std::string& file, const toml::table& table,
                          std::vector<Assignment>& assignments) {
  flatten(file, "", table, assignments);
}

}  // namespace verbena::experiments
