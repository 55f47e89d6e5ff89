// Accessors by type, and their complaints.
#include "experiments/reproduce/figure/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {

TableReader::TableReader(std::string file, const toml::table& table, std::string what,
                         const std::vector<std::string>& keys)
    : file_(std::move(file)), table_(table), what_(std::move(what)) {
  for (const auto& [name, node] : table_) {
    const std::string key(name.str());
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    refuse(key, fmt::format("unknown in {}{}", what_, did_you_mean(key, keys)));
  }
}

std::string TableReader::place(const std::string& key) const {
  const toml::node* node = table_.get(key);
  return toml_place(file_, node != nullptr ? node->source() : table_.source());
}

void TableReader::refuse(const std::string& key, const std::string& why) const {
  throw ConfigurationError(fmt::format("{}: {}: {}", place(key), printable(key), why));
}

std::string TableReader::text(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) refuse(key, fmt::format("is missing in {}", what_));
  if (!node->is_string()) refuse(key, "expected a string");
  return node->as_string()->get();
}

bool TableReader::has(const std::string& key) const { return table_.get(key) != nullptr; }

std::string TableReader::text_or(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

std::string TableReader::choice(const std::string& key, const std::vector<std::string>& choices,
                                const std::string& otherwise) const {
  std::string chosen = text_or(key, otherwise);
  if (std::find(choices.begin(), choices.end(), chosen) != choices.end()) return chosen;
  refuse(key, fmt::format("unknown '{}'{} (known: {})", printable(chosen),
                          did_you_mean(chosen, choices), fmt::join(choices, ", ")));
}

std::optional<double> TableReader::number(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_number()) refuse(key, "expected a number");
  return node->value<double>();
}

bool TableReader::flag(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return false;
  if (!node->is_boolean()) refuse(key, "expected true or false");
  return *node->value<bool>();
}

std::vector<std::string> TableReader::texts(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return {};
  if (node->is_string()) return {node->as_string()->get()};
  std::vector<std::string> result;
  const toml::array* array = node->as_array();
  if (array == nullptr || array->empty()) refuse(key, "expected a string or a list of strings");
  for (const toml::node& element : *array) {
    if (!element.is_string()) refuse(key, "expected a string or a list of strings");
    result.push_back(element.as_string()->get());
  }
  return result;
}

std::vector<double> TableReader::numbers(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return {};
  if (node->is_number()) return {*node->value<double>()};
  std::vector<double> result;
  const toml::array* array = node->as_array();
  if (array == nullptr || array->empty()) refuse(key, "expected a number or a list of numbers");
  for (const toml::node& element : *array) {
    if (!element.is_number()) refuse(key, "expected a number or a list of numbers");
    result.push_back(*element.value<double>());
  }
  return result;
}

std::vector<std::string> TableReader::values(const std::string& key) const {
  std::vector<std::string> result;
  const toml::array* array = list(key);
  if (array == nullptr) return result;
  for (const toml::node& element : *array) {
    if (element.is_string()) {
      result.push_back(element.as_string()->get());
    } else if (element.is_integer()) {
      result.push_back(std::to_string(element.as_integer()->get()));
    } else if (element.is_floating_point()) {
      result.push_back(fmt::format("{}", element.as_floating_point()->get()));
    } else {
      refuse(key, "expected a list of numbers or strings");
    }
  }
  if (result.empty()) refuse(key, "the list is empty");
  return result;
}

std::vector<std::pair<std::string, std::string>> TableReader::text_table(
    const std::string& key) const {
  std::vector<std::pair<std::string, std::string>> result;
  const toml::table* inner = table(key);
  if (inner == nullptr) return result;
  for (const auto& [name, node] : *inner) {
    if (!node.is_string()) refuse(key, fmt::format("{}: expected a string", name.str()));
    result.emplace_back(std::string(name.str()), node.as_string()->get());
  }
  return result;
}

std::vector<Assignment> TableReader::settings(const std::string& key) const {
  std::vector<Assignment> assignments;
  if (const toml::table* inner = table(key)) add_toml_assignments(file_, *inner, assignments);
  return assignments;
}

const toml::table* TableReader::table(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node != nullptr && !node->is_table()) refuse(key, "expected a table");
  return node == nullptr ? nullptr : node->as_table();
}

std::vector<const toml::table*> TableReader::tables(const std::string& key) const {
  std::vector<const toml::table*> result;
  const toml::array* array = list(key);
  if (array == nullptr) return result;
  for (const toml::node& element : *array) {
    if (!element.is_table()) refuse(key, fmt::format("expected tables, [[{}]]", key));
    result.push_back(element.as_table());
  }
  return result;
}

const toml::array* TableReader::list(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node != nullptr && !node->is_array()) refuse(key, "expected a list");
  return node == nullptr ? nullptr : node->as_array();
}

}  // namespace verbena::experiments
