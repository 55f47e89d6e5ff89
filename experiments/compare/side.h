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
  std::vector<std::string> changed_files;       ///< paths of files whose contents differ now
  std::vector<PointResult> results;
};

/// Parses a document of run or bench, single or of a series. Throws ConfigurationError that begins
/// with `name` when `json_text` is no such document.
ComparedSide read_side(const std::string& name, const std::string& json_text);

}  // namespace verbena::experiments
