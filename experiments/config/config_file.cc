// Telling the two forms of a configuration file apart, and members of results as assignments.
#include "experiments/config/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "experiments/config/input_file.h"
#include "experiments/config/key.h"
#include "experiments/config/toml_values.h"
#include "experiments/config/units.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

/// Members of a document's configuration that are not asked for again, or in another way.
constexpr std::string_view kNoKeys[] = {"command", "command_line", "operation", "overrides"};

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw ConfigurationError(fmt::format("--config {}: {}", printable(file), what));
}

std::string member_text(const json& config, const char* name) {
  const auto member = config.find(name);
  return member != config.end() && member->is_string() ? member->get<std::string>() : "";
}

// A value as a flag would spell it.
std::string value_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
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
         fmt::format("is of verbena {}{}{}, not of verbena {}{}{}", printable(command),
                     operation.empty() ? "" : " ", printable(operation), command_name(line.command),
                     line.operation.empty() ? "" : " ", line.operation));
}

// The settings and overrides of a document, all but the name of its result file.
std::vector<Assignment> parse_results(const std::string& file, const std::string& text,
                                      const CommandLine& line) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) refuse(file, "begins like JSON but is none");
  check_schema(file, document, line.command);
  const auto config = document.find("config");
  if (config == document.end() || !config->is_object()) {
    refuse(file, "has no member config, so it holds no results");
  }
  check_command(file, *config, line);
  std::vector<Assignment> assignments;
  for (const auto& [name, value] : config->items()) {
    const std::string text = value_of(value);
    const bool unset = text.empty() || text == "auto" || (name == "port" && text == "0");
    const Key* key = find_key(known_keys(), name);
    if (key == nullptr) {
      if (std::ranges::find(kNoKeys, name) != std::end(kNoKeys)) continue;
      refuse(file, fmt::format("config.{}: unknown", printable(name)));
    }
    if (key->owner == "output" || unset) continue;
    if (name == "node" && member_text(*config, "peers").empty()) continue;
    assignments.push_back({name, text, printable(file) + ": " + name});
  }
  if (const auto overrides = config->find("overrides"); overrides != config->end()) {
    if (!overrides->is_object()) refuse(file, "config.overrides: expected an object");
    for (const auto& [key, value] : overrides->items()) {
      assignments.push_back({key, value_of(value), printable(file)});
    }
  }
  return assignments;
}

std::string read_text(const std::string& file) {
  const std::string shown = file.empty() ? "''" : printable(file);
  return read_input_file(file, fmt::format("--config {}", shown));
}

bool begins_like_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

}  // namespace

std::string operation_of_results(const std::string& file) {
  const std::string text = read_text(file);
  if (!begins_like_json(text)) return "";
  const json document = json::parse(text, nullptr, false);
  const auto config = document.is_object() ? document.find("config") : document.end();
  if (!document.is_object() || config == document.end() || !config->is_object()) return "";
  return member_text(*config, "operation");
}

std::vector<Assignment> read_config(const std::string& file, const CommandLine& line) {
  const std::string text = read_text(file);
  if (begins_like_json(text)) return parse_results(file, text, line);
  std::vector<Assignment> assignments;
  add_toml_assignments(file, parse_toml_table(file, text), assignments);
  return assignments;
}

}  // namespace verbena::experiments
