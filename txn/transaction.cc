// The part of transactions that all systems share.
#include "txn/transaction.h"

#include <cassert>
#include <stdexcept>

#include "rdma/worker.h"

namespace verbena::txn {

bool Transaction::scan(const KeyRange&, std::uint32_t, std::vector<Key>&) {
  throw std::logic_error("a system without scans was asked to scan");
}

void Transaction::abandon() {
  if (!doomed()) throw std::logic_error("an attempt that is not doomed was abandoned");
  [[maybe_unused]] const bool committed = commit();
  assert(!committed);
}

void Transaction::wait(Nanoseconds duration) { worker_.sleep_until(worker_.now() + duration); }

}  // namespace verbena::txn
