// Any workload on tables so small that transactions meet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "txn/system.h"
#include "workloads/workload.h"

namespace verbena::testing {

/// Makes a workload with its small tables for `system` on so many nodes, with as many of TPC-C's
/// warehouses as there are partitions. `parameters` are set beyond those of the tables.
std::unique_ptr<workloads::Workload> small_workload(
    const std::string& workload, const txn::System& system, std::uint32_t nodes,
    std::uint32_t replicas, std::uint32_t workers,
    const std::vector<std::pair<std::string, std::string>>& parameters = {});

}  // namespace verbena::testing
