// TPC-C's consistency conditions.
#pragma once

#include <string>
#include <vector>

#include "txn/state_at_rest.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {

/// Lists violations of the consistency conditions 1 to 5 and 7 (clause 3.3.2) in the warehouses of
/// `partition`, whose primary copy must be at rest, one line each. Conditions 5 and 7 are checked
/// for orders that the run delivered; 5 also for the first undelivered order of each district.
/// Other initial orders, their lines and entries are counted without reading them. Where order
/// numbers are drawn, which leaves gaps, condition 2 is that none exceeds D_NEXT_O_ID - 1, and
/// condition 3 that the run's new orders are exactly the undelivered ones.
std::vector<std::string> breached_conditions(const Database& database, txn::PartitionId partition,
                                             txn::StateAtRest& state);

}  // namespace verbena::workloads::tpcc
