// The part of transactions that all systems share.
#include "txn/transaction.h"

#include <stdexcept>

#include "rdma/worker.h"

namespace verbena::txn {

bool Transaction::scan(const KeyRange&, std::uint32_t, std::vector<Key>&) {
  throw std::logic_error("a system without scans was asked to scan");
}

void Transaction::wait(Nanoseconds duration) { worker_.sleep_until(worker_.now() + duration); }

}  // namespace verbena::txn
