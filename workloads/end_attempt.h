// The ends of an attempt that all workloads have in common.
#pragma once

#include "txn/transaction.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Ends an attempt that is doomed, which counts why.
inline Attempt abandon(txn::Transaction& transaction) {
  transaction.commit();
  return Attempt::kAborted;
}

/// Ends an attempt by the application's choice, if what it rests on was read consistently.
inline Attempt roll_back(txn::Transaction& transaction) {
  return transaction.roll_back() ? Attempt::kRolledBack : Attempt::kAborted;
}

}  // namespace verbena::workloads
