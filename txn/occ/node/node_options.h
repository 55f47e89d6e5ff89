// Options of a node that takes part in transactions.
#pragma once

#include <cstdint>

#include "txn/plan/plan.h"
#include "txn/schema/table.h"
#include "txn/store/store_layout.h"

namespace verbena::txn::occ {

/// Settings that only these systems have.
struct Settings {
  Plan plan;
  std::uint32_t servers = 0;  ///< first nodes, which only hold partitions; 0: all nodes do both
  std::uint64_t log_ring_bytes = 0;  ///< 0: chosen by log_ring_bytes()
  bool shortest_log_rings = false;   ///< shortest that is possible, whatever log_ring_bytes says
  std::uint64_t location_cache_bytes = 300 << 20;  ///< 0: there is none, whatever the plan says
  bool warm_location_cache = true;  ///< starts with as many initial records as it can hold
  std::uint32_t bucket_slots_percent = StoreLayout::kUsualSlotsPercent;
  /// True if the execution phase counts only the time of its remote reads (Execution::remote_time).
  bool execution_is_remote_reads = false;
};

/// Settings with a resolved plan, and values that follow from the cluster and the workload.
struct NodeOptions : Settings {
  std::uint32_t replicas = 3;     ///< copies of every partition, the primary included
  std::uint32_t fibers = 1;       ///< transactions in flight per worker
  TransactionLimits limits = {};  ///< of one transaction
  bool record_history = false;
};

}  // namespace verbena::txn::occ
