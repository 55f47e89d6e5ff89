// From a document's members.
#include "experiments/compare/side.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/config/commands/registry.h"
#include "experiments/config/config_file.h"
#include "experiments/config/contents_digest.h"
#include "experiments/config/json_input.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The settings that were measured with, not where results went.
std::map<std::string, std::string> settings_of(const json& config) {
  std::map<std::string, std::string> settings;
  for (const auto& [name, value] : config.items()) {
    const Key* key = find_key(known_keys(), name);
    if (key != nullptr && key->owner != "output") settings[name] = text_of(value);
  }
  for (const auto& [name, value] : config.at("overrides").items()) settings[name] = text_of(value);
  return settings;
}

ComparedSide read_document(const std::string& name, const std::string& text) {
  const json document = parse_json(name, text);
  const json& schema = document.at("schema");
  if (schema.at("name") != kSchemaName || schema.at("version") != kSchemaVersion) {
    throw ConfigurationError(fmt::format("{}: has schema {} version {}; expected {} version {}",
                                         printable(name), printable(text_of(schema.at("name"))),
                                         text_of(schema.at("version")), kSchemaName,
                                         kSchemaVersion));
  }
  if (document.value("partial", false)) {
    throw ConfigurationError(
        fmt::format("{}: has the results of an interrupted run; measure again", printable(name)));
  }
  const json& config = document.at("config");
  ComparedSide side{.name = name,
                    .command = config.at("command"),
                    .command_line = config.at("command_line"),
                    .commit = document.at("commit"),
                    .settings = settings_of(config),
                    .files = files_of_results({.name = name, .text = text}),
                    .changed_files = {},
                    .results = parse_results(text)};
  if (config.contains("operation")) side.command += " " + config.at("operation").get<std::string>();
  for (const auto& [path, digest] : side.files) {
    const std::string now = contents_digest(path);
    if (!now.empty() && now != digest) side.changed_files.push_back(path);
  }
  return side;
}

}  // namespace

ComparedSide read_side(const std::string& name, const std::string& json_text) {
  try {
    ComparedSide side = read_document(name, json_text);
    if (side.results.empty()) {
      throw ConfigurationError(fmt::format("{}: has no results", printable(name)));
    }
    return side;
  } catch (const ConfigurationError&) {
    throw;
  } catch (const json::exception& error) {
    throw ConfigurationError(
        fmt::format("{}: holds no results: {}", printable(name), json_error_text(error)));
  } catch (const std::exception& error) {
    throw ConfigurationError(
        fmt::format("{}: holds no results: {}", printable(name), printable(error.what())));
  }
}

}  // namespace verbena::experiments
