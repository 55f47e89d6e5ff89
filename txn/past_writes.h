// The writes of transactions before a run began.
#pragma once

#include <cstdint>
#include <vector>

#include "txn/schema/table.h"

namespace verbena::txn {

/// Transactions that may have been committed long before a run, so that their effects are what the
/// tables hold initially: a sample, of which a system takes as many as it needs, as often as it
/// likes. On every node of a run the same.
struct PastWrites {
  std::uint64_t seed = 0;                             ///< draws among them
  std::vector<std::vector<RecordName>> transactions;  ///< the records that each of them wrote
  /// The partition where they were at home.
  PartitionId home = 0;
};

}  // namespace verbena::txn
