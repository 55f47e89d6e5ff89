// Checking tables that no transaction writes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "txn/schema/table.h"
#include "txn/state_at_rest.h"

namespace verbena::workloads {

/// Rows of these tables in a partition, whose primary copy is at rest, that are not as they were
/// loaded: one line each.
std::vector<std::string> changed_rows(const txn::Schema& schema,
                                      std::span<const txn::TableId> tables,
                                      txn::PartitionId partition, txn::StateAtRest& state);

}  // namespace verbena::workloads
