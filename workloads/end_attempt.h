// Ends of an attempt that several workloads share.
#pragma once

#include <cassert>

#include "txn/occ/transaction.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Ends a doomed attempt; ending it counts the cause.
inline Attempt abandon(txn::Transaction& transaction) {
  [[maybe_unused]] const bool committed = transaction.commit();
  assert(!committed);
  return Attempt::kAborted;
}

/// Ends an attempt by the application's choice, if what it rests on was read consistently.
inline Attempt roll_back(txn::Transaction& transaction) {
  return transaction.roll_back() ? Attempt::kRolledBack : Attempt::kAborted;
}

}  // namespace verbena::workloads
