// Effects of operations whose outcome is unknown.
#pragma once

#include <span>

#include "txn/check/registers/register_operation.h"

namespace verbena::txn {

/// Sets `effect` and `ended` of the operations on one record whose outcome nobody knows. One that
/// wrote what somebody read certainly took effect, by the end of the first who read it, if nobody
/// else can have written that, nor was it the `initial` value; else it may have. What nobody read
/// needs no place in an order: it gets Effect::kNone.
void resolve_open_operations(ValueDigest initial, std::span<RegisterOperation> operations);

}  // namespace verbena::txn
