// From the values of keys, and from the text of files.
#include "experiments/config/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/config/commands/registry.h"
#include "experiments/config/contents_digest.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/split.h"
#include "simnic/platform_text/platform_text.h"
#include "simnic/profile/profile.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string absolute_path(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
}

bool is_input_path(const Key& key) {
  return key.name() == "platform" || key.name() == "nam.restore";
}

bool is_digest(const json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == Digest().text().size() &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Path of the file that is the value of a key with `or_file`; empty for one of its choices.
std::string file_of(const Parameter& parameter) {
  std::string text = value_text(parameter);
  const bool chosen = std::ranges::find(parameter.choices, text) != parameter.choices.end();
  return parameter.or_file && !chosen ? text : "";
}

// Path of the network's profile that the profile `nic` names; empty for a built-in one.
std::string switches_of(const std::string& nic) {
  try {
    const std::string name = simnic::profile_info("nic", nic).fabric;
    return simnic::built_in_profile("fabric", name) != nullptr ? "" : absolute_path(name);
  } catch (const ConfigurationError&) {
    return "";  // Measurements refuse it.
  }
}

}  // namespace

std::map<std::string, std::string> NamedFiles::of(CommandOptions& command) {
  std::vector<std::string> paths;
  bool names_switches = false;
  std::string nic;
  for (const Key& key : command.keys()) {
    if (key.parameter.or_file) paths.push_back(file_of(key.parameter));
    if (key.name() == "switch") names_switches = !value_text(key.parameter).empty();
    if (key.name() == "nic") nic = paths.back();
    if (!is_input_path(key)) continue;
    paths.push_back(recorded_text(key));
    if (key.name() != "platform" || paths.back().empty()) continue;
    const std::vector<std::string>& named = named_in(paths.back());
    paths.insert(paths.end(), named.begin(), named.end());
  }
  if (!nic.empty() && !names_switches) paths.push_back(switches_of(nic));
  std::map<std::string, std::string> files;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    if (!digests_.contains(path)) digests_[path] = contents_digest(path);
    if (!digests_[path].empty()) files[path] = digests_[path];
  }
  return files;
}

// Where SimGrid may find them: seen from here, or beside the platform.
const std::vector<std::string>& NamedFiles::named_in(const std::string& platform) {
  const auto [found, is_new] = named_.try_emplace(platform);
  if (!is_new) return found->second;
  try {
    for (const std::string& name : simnic::read_platform_text(platform).files) {
      found->second.push_back(absolute_path(name));
      found->second.push_back(absolute_path(fs::path(platform).parent_path() / name));
    }
  } catch (const ConfigurationError&) {
    // Measurements refuse it.
  }
  return found->second;
}

std::string identity_of(const ConfigurationRecord& record) {
  ConfigurationRecord anywhere = record;
  std::map<std::string, std::string> others = record.files;
  fs::path directory;  // of the file that names the others
  const auto name_contents = [&](std::string& text) {
    const auto file = record.files.find(text);
    if (file == record.files.end()) return;
    if (directory.empty()) directory = fs::path(text).parent_path();
    others.erase(text);
    text = "contents " + file->second;
  };
  for (auto& flag : anywhere.flags) name_contents(flag.second);
  for (auto& setting : anywhere.overrides) name_contents(setting.second);
  Digest digest;
  digest.add(anywhere.command_line());
  for (const auto& [path, contents] : others) {
    fs::path seen = path;
    if (!directory.empty()) seen = seen.lexically_relative(directory);
    digest.add(fmt::format("\n{}\n{}", seen.string(), contents));
  }
  return digest.text();
}

std::vector<std::string> listed_paths(const std::string& value) {
  return split(value, value.find('|') != std::string::npos ? '|' : ',');
}

std::optional<std::map<std::string, std::string>> files_of_results(const json& config,
                                                                   const std::string& place) {
  if (!config.contains("files")) return std::nullopt;
  const auto refuse = [&](const std::string& what) {
    throw ConfigurationError(fmt::format("{}: config.files {}", place, what));
  };
  const json& named = config.at("files");
  if (!named.is_object()) {
    refuse(fmt::format("is {}; expected an object with a digest for each path",
                       printable(named.dump())));
  }
  std::map<std::string, std::string> files;
  for (const auto& [path, digest] : named.items()) {
    if (!is_digest(digest)) {
      refuse(fmt::format("has {} for {}; expected a digest, 16 hexadecimal digits",
                         printable(digest.dump()), printable(path)));
    }
    files[path] = digest.get<std::string>();
  }
  return files;
}

}  // namespace verbena::experiments
