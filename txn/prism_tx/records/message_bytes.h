// Lengths of messages that transactions need.
#pragma once

#include <cstddef>

#include "txn/prism/access/without.h"
#include "txn/prism/layout.h"
#include "txn/schema/table.h"

namespace verbena::txn::prism_tx {

/// Bytes of a message with a chain for one record of any table, without the RPC's own header.
std::size_t least_message_bytes(prism::Without without, const prism::Layout& layout);

/// Bytes of a message with a chain for all records of a transaction, or for as many as the
/// operations of a chain allow; a longer one is never sent.
std::size_t most_message_bytes(prism::Without without, const prism::Layout& layout,
                               const TransactionLimits& limits);

}  // namespace verbena::txn::prism_tx
