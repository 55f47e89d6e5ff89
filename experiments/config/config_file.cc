// Telling the two forms of a configuration file apart, and members of results as assignments.
#include "experiments/config/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "experiments/config/commands/registry.h"
#include "experiments/config/input_pipe.h"
#include "experiments/config/json_input.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/toml_values.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

/// Members of a document's configuration that are not asked for again, or in another way.
constexpr std::string_view kNoKeys[] = {"command", "command_line", "files", "operation",
                                        "overrides"};

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw ConfigurationError(fmt::format("--config {}: {}", refused_text(file), what));
}

std::string member_text(const json& config, const char* name) {
  const auto member = config.find(name);
  return member != config.end() && member->is_string() ? member->get<std::string>() : "";
}

[[noreturn]] void refuse_type(const std::string& place) {
  throw ConfigurationError(place +
                           ": expected a string, a number, true or false, or a list of these");
}

// A value as a flag would spell it, of a list as a list.
std::string value_of(const std::string& key, const json& value, const std::string& place) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_array() || value.empty()) refuse_type(place);
  if (is_file_name(key)) throw ConfigurationError(place + ": expected the name of one file");
  std::vector<std::string> values;
  for (const json& element : value) {
    if (element.is_array()) refuse_type(place);
    values.push_back(value_of(key, element, place));
  }
  return list_of(key, values);
}

void check_schema(const std::string& file, const json& document, Command command) {
  const bool explains = command == Command::kExplain;
  const char* name = explains ? kExplanationName : kSchemaName;
  const int expected = explains ? kExplanationVersion : kSchemaVersion;
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_object() || member_text(*schema, "name") != name) {
    refuse(file, fmt::format("schema.name is not {}, so it holds no results", name));
  }
  const auto version = schema->find("version");
  if (version != schema->end() && *version == expected) return;
  refuse(file,
         fmt::format("schema.version is {}; expected {}",
                     version == schema->end() ? "missing" : printable(version->dump()), expected));
}

void check_command(const std::string& file, const json& config, const CommandLine& line) {
  const std::string command = member_text(config, "command");
  const std::string operation = member_text(config, "operation");
  if (command.empty()) refuse(file, "config.command is missing, so it holds no results");
  if (command == command_name(line.command) && operation == line.operation) return;
  refuse(file,
         fmt::format("has results of verbena {}{}{}, not of verbena {}{}{}", printable(command),
                     operation.empty() ? "" : " ", printable(operation), command_name(line.command),
                     line.operation.empty() ? "" : " ", line.operation));
}

// The settings and overrides of a document, all but the name of its result file.
std::vector<Assignment> assignments_of(const std::string& file, const json& document,
                                       const CommandLine& line) {
  if (!document.is_object()) refuse(file, "is not an object, so it holds no results");
  check_schema(file, document, line.command);
  const auto config = document.find("config");
  if (config == document.end() || !config->is_object()) {
    refuse(file, "has no member config, so it holds no results");
  }
  check_command(file, *config, line);
  std::vector<Assignment> assignments;
  for (const auto& [name, value] : config->items()) {
    const Key* key = find_key(known_keys(), name);
    if (key == nullptr) {
      if (std::ranges::find(kNoKeys, name) != std::end(kNoKeys)) continue;
      refuse(file, fmt::format("config.{}: unknown", printable(name)));
    }
    const std::string text = value_of(name, value, printable(file) + ": " + name);
    const bool unset = text.empty() || text == "auto" || (name == "port" && text == "0");
    if (key->owner == "output" || unset) continue;
    if (name == "node" && member_text(*config, "peers").empty()) continue;
    if (name == "topology" && !member_text(*config, "platform").empty()) continue;
    assignments.push_back({name, text, printable(file) + ": " + name});
  }
  if (const auto overrides = config->find("overrides"); overrides != config->end()) {
    if (!overrides->is_object()) refuse(file, "config.overrides: expected an object");
    for (const auto& [key, value] : overrides->items()) {
      const std::string place = fmt::format("{}: {}", printable(file), printable(key));
      assignments.push_back({key, value_of(key, value, place), printable(file)});
    }
  }
  return assignments;
}

// By its name, or by how it begins.
bool is_json(const std::string& file, const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return file.ends_with(".json") || (first != std::string::npos && text[first] == '{');
}

}  // namespace

ConfigFile open_config(const std::string& name) {
  std::string text = read_file_or_pipe(name, fmt::format("--config {}", refused_text(name)));
  ConfigFile file{.name = name, .toml = "", .document = {}};
  if (is_json(name, text)) {
    file.document.emplace(parse_json(name, text));
  } else {
    file.toml = std::move(text);
  }
  return file;
}

std::string operation_of_results(const ConfigFile& file) {
  if (!file.document || !file.document->is_object()) return "";
  const auto config = file.document->find("config");
  const bool has_config = config != file.document->end() && config->is_object();
  return has_config ? member_text(*config, "operation") : "";
}

std::vector<Assignment> read_config(const ConfigFile& file, const CommandLine& line) {
  if (file.document) return assignments_of(file.name, *file.document, line);
  std::vector<Assignment> assignments;
  add_toml_assignments(file.name, parse_toml_table(file.name, file.toml), assignments);
  return assignments;
}

}  // namespace verbena::experiments
