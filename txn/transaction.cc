// The part of transactions that all systems share.
#include "txn/transaction.h"

#include "rdma/worker.h"

namespace verbena::txn {

void Transaction::wait(Nanoseconds duration) { worker_.sleep_until(worker_.now() + duration); }

}  // namespace verbena::txn
