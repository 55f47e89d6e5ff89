// Functions that end an attempt, for several workloads.
#pragma once

#include "txn/transaction.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Ends a doomed attempt. It is to be tried again.
inline Attempt abandon(txn::Transaction& transaction) {
  transaction.abandon();
  return Attempt::kAborted;
}

/// Ends an attempt by the application's choice. Returns kAborted if its reads were inconsistent.
inline Attempt roll_back(txn::Transaction& transaction) {
  return transaction.roll_back() ? Attempt::kRolledBack : Attempt::kAborted;
}

}  // namespace verbena::workloads
