// Beginning an attempt, and posting its requests.
#include "txn/occ/attempt/attempt.h"

#include <cassert>

#include "txn/occ/attempt/coordinator.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {

Attempt::Attempt(Coordinator& coordinator, std::uint16_t fiber, AttemptStatus& status,
                 std::vector<Access::Item>& items)
    : node_(coordinator.node()),
      worker_(coordinator.worker()),
      measurements_(coordinator.measurements()),
      status_(status),
      fiber_(fiber),
      arena_(worker_.allocate_scratch(node_.arena_bytes())),
      requests_(worker_.connections()),
      calls_(worker_.rpc()),
      accesses_(items, node_.options().limits.records, node_.layout(), arena_) {}

void Attempt::begin(txn::Transaction::Kind kind) {
  assert(requests_.empty() && calls_.size() == 0);
  arena_.reset();
  accesses_.clear();
  obstacle_.reset();
  const bool only_reads = kind == txn::Transaction::Kind::kReadOnly;
  read_plan_ = only_reads ? &plan().read : &plan().execute;
  ++sequence_;
  lock_word_ = LockOwner{.node = node_.node(),
                         .worker = worker_.id(),
                         .fiber = fiber_,
                         .attempt = static_cast<std::uint16_t>(sequence_)}
                   .word();
}

void Attempt::post(const PhasePlan& phase) {
  if (!requests_.empty()) requests_.post(doorbell(phase));
  if (calls_.size() > 0) calls_.post(doorbell(phase));
}

void Attempt::post_and_wait(const PhasePlan& phase) {
  const bool one_sided = !requests_.empty();
  const bool two_sided = calls_.size() > 0;
  post(phase);
  if (one_sided) requests_.wait();
  if (two_sided) calls_.wait();
}

}  // namespace verbena::txn::occ
