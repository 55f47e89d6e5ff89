// TPC-C's consistency conditions.
#pragma once

#include <string>
#include <vector>

#include "txn/state_at_rest.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {

/// Breaches of the conditions 1 to 5 and 7 (clause 3.3.2) in the warehouses of `partition`, whose
/// primary copy is at rest: one line each. 5 and 7 are checked of orders that the run delivered,
/// and 5 of the first of each district that is not. Other initial orders, their lines and entries
/// are counted without touching them. Where numbers are drawn, which leaves gaps, 2 is that none is
/// above D_NEXT_O_ID - 1, and 3 that the run's new orders are just those that are not delivered.
std::vector<std::string> breached_conditions(const Database& database, txn::PartitionId partition,
                                             txn::StateAtRest& state);

}  // namespace verbena::workloads::tpcc
