// How long messages have to be for transactions of such limits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Keys that a transaction asks for at most at a time.
std::uint32_t listed_keys(const TransactionLimits& limits);

/// The longest messages that transactions make use of, in bytes.
std::size_t message_bytes(const TransactionLimits& limits);

}  // namespace verbena::txn::nam
