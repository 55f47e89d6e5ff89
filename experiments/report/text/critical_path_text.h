// Where latencies went, for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/paths/critical_path.h"

namespace verbena::experiments {

/// Lines of a table: label and cells. Parts that take too little are told together.
std::vector<std::pair<std::string, std::string>> critical_path_lines(const CriticalPath& path);

}  // namespace verbena::experiments
