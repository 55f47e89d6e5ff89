// One of two results that are compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// A parsed document of results.
struct ComparedSide {
  std::string name;     ///< as the user gave it
  std::string command;  ///< "run", "bench read"
  std::string command_line;
  std::string commit;
  std::map<std::string, std::string> settings;  ///< by flag or override
  std::map<std::string, std::string> files;     ///< see ConfigurationRecord::files
  bool tells_files = true;                      ///< false for documents of earlier programs
  std::vector<std::string> changed_files;       ///< paths of files whose contents differ now
  std::vector<std::string> gone_files;          ///< paths where there is nothing now
  std::vector<PointResult> results;

  /// Returns `value` of the setting `key`, also a list, with digests of the contents of its files
  /// in place of their paths.
  std::string by_contents(const std::string& key, const std::string& value) const;

  /// Returns it with names of files in place of their paths.
  static std::string by_names(const std::string& key, const std::string& value);
};

/// Parses a document of run or bench, single or of a series. Throws ConfigurationError that begins
/// with `name` when `json_text` is no such document.
ComparedSide read_side(const std::string& name, const std::string& json_text);

}  // namespace verbena::experiments
