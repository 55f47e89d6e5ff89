// A run's history in a format of other isolation checkers.
#pragma once

#include <string>
#include <vector>

#include "txn/check/history.h"

namespace verbena::experiments {

enum class HistoryForm { kEdn, kJsonLines };

/// Chooses the form by the file's extension, ".edn" or ".jsonl".
HistoryForm history_form(const std::string& path);

/// Formats the attempts as Jepsen operations for Elle's read-write registers, one map per line: an
/// invocation, then "ok" or a failure. docs/reference/documents.md describes the fields. `tables`
/// are names by TableId.
std::string history_text(const txn::History& history, const std::vector<std::string>& tables,
                         HistoryForm form);

}  // namespace verbena::experiments
