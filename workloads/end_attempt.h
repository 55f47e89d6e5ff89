// Ends of an attempt that several workloads share.
#pragma once

#include "txn/transaction.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Ends a doomed attempt; it is to be tried again.
inline Attempt abandon(txn::Transaction& transaction) {
  transaction.abandon();
  return Attempt::kAborted;
}

/// Ends an attempt by the application's choice, if what it rests on was read consistently.
inline Attempt roll_back(txn::Transaction& transaction) {
  return transaction.roll_back() ? Attempt::kRolledBack : Attempt::kAborted;
}

}  // namespace verbena::workloads
