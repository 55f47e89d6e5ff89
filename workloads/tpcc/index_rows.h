// Checks TPC-C's secondary indexes against their tables.
#pragma once

#include <string>
#include <vector>

#include "txn/state_at_rest.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {

/// Lists errors in the index of orders by customers in the warehouses of `partition`, whose primary
/// copy must be at rest, one line each. Each order of the run must have a row with its number, and
/// there must be no other rows besides the loaded ones.
std::vector<std::string> wrong_index_rows(const Database& database, txn::PartitionId partition,
                                          txn::StateAtRest& state);

}  // namespace verbena::workloads::tpcc
