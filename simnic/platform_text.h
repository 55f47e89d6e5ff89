// A platform file's own words: SimGrid does not tell all that it takes from them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace verbena::simnic {

/// Found in a platform file.
struct PlatformText {
  std::vector<std::pair<std::string, std::string>> settings;  ///< of <config>: names and values
  /// By the names of hosts: a profile of its state or speed, as "state_file off.txt".
  std::map<std::string, std::string> host_profiles;
};

/// Reads an XML file for what would be done without a word. Throws std::runtime_error, in one line,
/// for settings of SimGrid's in its <config> that are not of models which nothing here uses, for
/// <include>, and for profiles that begin again at once.
PlatformText read_platform_text(const std::string& path);

}  // namespace verbena::simnic
