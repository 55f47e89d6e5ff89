// TPC-C's secondary indexes against their tables.
#pragma once

#include <string>
#include <vector>

#include "txn/state_at_rest.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {

/// Lists what is wrong with the index of orders by customers in the warehouses of `partition`,
/// whose primary copy is at rest, one line each: each order of the run has its row, which tells its
/// number, and there are no rows but these and the loaded ones.
std::vector<std::string> wrong_index_rows(const Database& database, txn::PartitionId partition,
                                          txn::StateAtRest& state);

}  // namespace verbena::workloads::tpcc
