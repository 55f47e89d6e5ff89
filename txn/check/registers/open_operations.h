// Effects of operations whose outcome is unknown.
#pragma once

#include <span>

#include "txn/check/registers/register_operation.h"

namespace verbena::txn {

/// Sets `effect` and `ended` of the operations on one record whose outcome is unknown. An operation
/// whose value was read certainly took effect, by the end of the first reader, if no other can have
/// written that value and it was not `initial`; else it may have. An operation whose value was
/// never read needs no place in an order, and gets Effect::kNone.
void resolve_open_operations(ValueDigest initial, std::span<RegisterOperation> operations);

}  // namespace verbena::txn
