// TPC-C's consistency conditions.
#pragma once

#include <string>
#include <vector>

#include "txn/state_at_rest.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {

/// Breaches of the conditions 1 to 4, and of what 5 and 7 say of orders that were delivered (clause
/// 3.3.2), in the warehouses of `partition`, whose primary copy is at rest: one line each. Initial orders, their lines and entries are counted without
/// touching them.
std::vector<std::string> breached_conditions(const Database& database, txn::PartitionId partition,
                                             txn::StateAtRest& state);

}  // namespace verbena::workloads::tpcc
