// Sizes of messages for transactions within given limits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Most keys that a transaction asks for in one message.
std::uint32_t listed_keys(const TransactionLimits& limits);

/// Bytes of the longest message that transactions use.
std::size_t message_bytes(const TransactionLimits& limits);

}  // namespace verbena::txn::nam
