// The check of a history that a system's promise asks for.
#pragma once

#include <optional>

#include "txn/check/violation.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Whether there is a check of histories for this level.
bool can_check(Isolation isolation);

/// What `history` breaks of the promise; nothing when it holds. Only for histories whose times are
/// of one clock. Throws std::logic_error for a level that cannot be checked.
std::optional<Violation> violation(Isolation isolation, const History& history);

}  // namespace verbena::txn
