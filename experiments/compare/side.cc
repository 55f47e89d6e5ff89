// From a document's members.
#include "experiments/compare/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/config/commands/registry.h"
#include "experiments/config/config_file.h"
#include "experiments/config/contents_digest.h"
#include "experiments/config/json_input.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/named_files.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;
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

// `value` of the setting `key` with each path in it turned into something else.
template <typename Turn>
std::string with_files(const std::string& key, const std::string& value, Turn&& turn) {
  const Key* known = find_key(known_keys(), key);
  if (known == nullptr || !names_file(*known)) return value;
  std::vector<std::string> turned;
  for (const std::string& path : listed_paths(value)) {
    turned.push_back(turn(path));
  }
  return fmt::format("{}", fmt::join(turned, "|"));
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
  const auto files = files_of_results(config, printable(name));
  ComparedSide side{.name = name,
                    .command = config.at("command"),
                    .command_line = config.at("command_line"),
                    .commit = document.at("commit"),
                    .settings = settings_of(config),
                    .files = files.value_or(std::map<std::string, std::string>{}),
                    .tells_files = files.has_value(),
                    .changed_files = {},
                    .gone_files = {},
                    .results = parse_results(text)};
  if (config.contains("operation")) side.command += " " + config.at("operation").get<std::string>();
  for (const auto& [path, digest] : side.files) {
    const std::string now = contents_digest(path);
    if (now.empty()) side.gone_files.push_back(path);
    if (!now.empty() && now != digest) side.changed_files.push_back(path);
  }
  return side;
}

}  // namespace

std::string ComparedSide::by_contents(const std::string& key, const std::string& value) const {
  return with_files(key, value, [&](const std::string& path) {
    if (path.empty()) return path;
    // Values of series are relative where they were given so.
    std::string end = fs::path(path).lexically_normal().string();
    while (end.starts_with("../")) end.erase(0, 3);
    if (!end.starts_with('/')) end.insert(0, "/");
    const auto file =
        std::ranges::find_if(files, [&](const auto& each) { return each.first.ends_with(end); });
    return file == files.end() ? path : file->second;
  });
}

std::string ComparedSide::by_names(const std::string& key, const std::string& value) {
  return with_files(key, value, file_name);
}

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
