// From the values of keys, and from the text of files.
#include "experiments/config/named_files.h"

#include <algorithm>
#include <filesystem>

#include "experiments/config/contents_digest.h"
#include "rdma/base/errors.h"
#include "simnic/platform_text/platform_text.h"
#include "simnic/profile.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

std::string absolute_path(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
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
    if (key.name() != "platform" && key.name() != "nam.restore") continue;
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

}  // namespace verbena::experiments
