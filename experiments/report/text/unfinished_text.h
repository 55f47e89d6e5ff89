// Transactions that a failed run left, for people and for programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workloads/run/unfinished.h"

namespace verbena::experiments {

/// A table, a line for each, of the first kMostLines.
std::string unfinished_text(const std::vector<workloads::Unfinished>& unfinished);
inline constexpr std::size_t kMostLines = 60;

/// All of them and the error, as a JSON document: `error`, and `unfinished`, a list.
std::string unfinished_document(const char* error,
                                const std::vector<workloads::Unfinished>& unfinished);

}  // namespace verbena::experiments
