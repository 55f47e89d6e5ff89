// Files that a configuration names.
#pragma once

#include <map>
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

}  // namespace verbena::experiments
