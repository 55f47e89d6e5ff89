// Files that a configuration names.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Digests of files that commands name. Each file counts as it was when it was first asked for.
class NamedFiles {
 public:
  /// Returns the contents_digest of each file on which results of `command` depend, by path:
  /// systems, profiles, platforms, and the files that these name, and the directory of a
  /// checkpoint. Files that cannot be read are left out; measurements refuse them.
  std::map<std::string, std::string> of(CommandOptions& command);

 private:
  const std::vector<std::string>& named_in(const std::string& platform);

  std::map<std::string, std::string> digests_;             // by path
  std::map<std::string, std::vector<std::string>> named_;  // by platform
};

/// Returns a digest of all settings, and of the contents of the files that they name, wherever
/// these lie: equal for measurements with equal results.
std::string identity_of(const ConfigurationRecord& record);

/// Returns the texts of a list of paths, or a single one.
std::vector<std::string> listed_paths(const std::string& value);

/// Returns the ConfigurationRecord::files that the member `config` of results tells; nothing when
/// it tells none, as in documents of earlier programs. Throws ConfigurationError that begins with
/// `place` when they are no digests by path. Files that could not be read have none.
std::optional<std::map<std::string, std::string>> files_of_results(const nlohmann::json& config,
                                                                   const std::string& place);

}  // namespace verbena::experiments
