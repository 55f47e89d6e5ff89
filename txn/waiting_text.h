// Words of what transactions wait for, alike for all systems (Transaction::waits_for).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "rdma/base/types.h"
#include "txn/schema/table.h"

namespace verbena::txn {

/// A record that is in the way: its table's name, its partition and key, and the node that has it;
/// or one of `among` records of that node, where it is not known which.
std::string record_text(const Schema& schema, const RecordName& name, NodeId node,
                        std::size_t among = 1);

/// The coroutine that holds a lock.
std::string holder_text(NodeId node, WorkerId worker, std::uint32_t fiber);

/// Adds the peers whose answers are awaited to `what`; changes nothing if there are none.
std::string with_awaited(const std::string& what, std::span<const NodeId> peers);

}  // namespace verbena::txn
