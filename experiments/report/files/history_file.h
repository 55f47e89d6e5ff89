// A run's history as other checkers of isolation read it.
#pragma once

#include <string>
#include <vector>

#include "txn/check/history.h"

namespace verbena::experiments {

enum class HistoryForm { kEdn, kJsonLines };

/// By the ending of the file's name, ".edn" or ".jsonl".
HistoryForm history_form(const std::string& path);

/// The attempts as operations of Jepsen, one map per line: each is invoked and then is ok or has
/// failed, as read-write registers of Elle have them. docs/reference/documents.md tells what stands
/// for what. `tables` are names by TableId.
std::string history_text(const txn::History& history, const std::vector<std::string>& tables,
                         HistoryForm form);

}  // namespace verbena::experiments
