// Critical paths for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/paths/critical_path.h"

namespace verbena::experiments {

/// Lines of a table: label and cells. Very short parts are combined.
std::vector<std::pair<std::string, std::string>> critical_path_lines(const CriticalPath& path);

}  // namespace verbena::experiments
