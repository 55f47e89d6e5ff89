// Transactions that a failed run left unfinished, for people and programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workloads/run/unfinished.h"

namespace verbena::experiments {

/// Formats a table with a line for each of the first kMostLines transactions.
std::string unfinished_text(const std::vector<workloads::Unfinished>& unfinished);
inline constexpr std::size_t kMostLines = 60;

/// Makes a JSON document of all of them and the error: `error`, and the list `unfinished`.
std::string unfinished_document(const char* error,
                                const std::vector<workloads::Unfinished>& unfinished);

}  // namespace verbena::experiments
