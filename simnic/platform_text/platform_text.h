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
  std::vector<std::string> files;         ///< profiles, as attributes name them
  std::vector<std::string> fat_clusters;  ///< flat ones of FATPIPE links, SHARED in SimGrid 3.32
};

/// Reads an XML file for what would be done without a word, or not be done without a word. Throws
/// ConfigurationError, in one line, for settings in its <config> that are not of SimGrid's models
/// which nothing here uses, for actors, for <include>, and for profiles and clusters of which
/// SimGrid would make something else, or that it does not get through.
PlatformText read_platform_text(const std::string& path);

}  // namespace verbena::simnic
