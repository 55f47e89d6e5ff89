// Text of a platform file, of which SimGrid does not report everything.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace verbena::simnic {

/// Contents of a platform file that SimGrid does not report.
struct PlatformText {
  std::vector<std::pair<std::string, std::string>> settings;  ///< names and values of <config>
  /// [host]: a profile of its state or speed, as "state_file off.txt".
  std::map<std::string, std::string> host_profiles;
  std::vector<std::string> files;         ///< profiles, as attributes name them
  std::vector<std::string> fat_clusters;  ///< flat clusters of FATPIPE links, which SimGrid 3.32
                                          ///< takes for SHARED
};

/// Reads an XML file, and refuses what SimGrid would silently do or leave undone. Throws
/// ConfigurationError, in one line, for settings in <config> other than those of SimGrid's models
/// that nothing here uses; for actors; for <include>; and for profiles and clusters that SimGrid
/// would take for something else, or on which it hangs.
PlatformText read_platform_text(const std::string& path);

}  // namespace verbena::simnic
