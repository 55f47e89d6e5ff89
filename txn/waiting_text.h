// Words of what transactions wait for, alike for all systems (Transaction::waits_for).
#pragma once

#include <span>
#include <string>

#include "rdma/base/types.h"
#include "txn/table.h"

namespace verbena::txn {

/// A record that is in the way: its table's name, its partition and key, and the node that has it.
std::string record_text(const Schema& schema, const RecordName& name, NodeId node);

/// The coroutine that holds a lock.
std::string holder_text(NodeId node, WorkerId worker, std::uint32_t fiber);

/// Adds the peers whose answers are awaited to `what`; changes nothing if there are none.
std::string with_awaited(const std::string& what, std::span<const NodeId> peers);

}  // namespace verbena::txn
