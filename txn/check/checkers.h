// The check of each promise.
#pragma once

#include <memory>

#include "txn/check/anomalies/history_checker.h"
#include "txn/schema/table.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Tells if a promise can be checked.
bool can_check(Isolation isolation);

/// The check of what a system promises. Throws std::logic_error for what cannot be checked.
std::unique_ptr<HistoryChecker> make_checker(const Schema& schema, const SystemInfo& system);

}  // namespace verbena::txn
