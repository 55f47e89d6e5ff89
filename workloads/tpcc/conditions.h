// TPC-C's consistency conditions.
#pragma once

#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "txn/store/store.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {

/// Breaches of the conditions 1 to 4 (clause 3.3.2) in the warehouses of `node`, whose store is at
/// rest: one line each. Initial orders, their lines and entries are counted without touching them.
std::vector<std::string> breached_conditions(const Database& database, NodeId node,
                                             txn::Store& store);

}  // namespace verbena::workloads::tpcc
