// Checks tables that no transaction writes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "txn/schema/table.h"
#include "txn/state_at_rest.h"

namespace verbena::workloads {

/// Lists rows of `tables` that differ from their loaded state, one line each, in a partition whose
/// primary copy must be at rest.
std::vector<std::string> changed_rows(const txn::Schema& schema,
                                      std::span<const txn::TableId> tables,
                                      txn::PartitionId partition, txn::StateAtRest& state);

}  // namespace verbena::workloads
