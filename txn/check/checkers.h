// Checks of systems' promises.
#pragma once

#include <memory>

#include "txn/check/anomalies/history_checker.h"
#include "txn/schema/table.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Returns true if a promise can be checked.
bool can_check(Isolation isolation);

/// Makes the check of a system's promise. Throws std::logic_error when it cannot be checked.
std::unique_ptr<HistoryChecker> make_checker(const Schema& schema, const SystemInfo& system);

}  // namespace verbena::txn
