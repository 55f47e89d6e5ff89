// Locking and unlocking.
#include "txn/occ/commit/locks.h"

#include <cassert>
#include <stdexcept>
#include <string>

#include "txn/occ/node/primary_record.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {
namespace {

using rdma::Work;

constexpr std::uint64_t kUnlockedWord = kUnlocked;  // source of unlocking writes

[[noreturn]] void refuse_second_owner(const RecordName& name) {
  throw std::logic_error("lock of table " + std::to_string(name.table) + " partition " +
                         std::to_string(name.partition) + " key " + std::to_string(name.key) +
                         " was taken by two transactions: the atomics of the machine's NICs do "
                         "not exclude each other");
}

}  // namespace

void Locks::acquire() {
  const PhasePlan& phase = attempt_.plan().lock;
  if (phase.primitive == Primitive::kOneSided) {
    acquire_one_sided(phase);
  } else {
    acquire_two_sided(phase);
  }
}

void Locks::acquire_one_sided(const PhasePlan& phase) {
  for (Access& access : attempt_.accesses()) {
    if (!access.to_lock()) continue;
    add_requests(access);
    if (phase.outstanding) continue;
    attempt_.post_and_wait(phase);
    take_answers(access);
    if (attempt_.doomed()) return;
  }
  if (!phase.outstanding) return;
  attempt_.post_and_wait(phase);
  for (Access& access : attempt_.accesses()) {
    if (access.to_lock()) take_answers(access);
  }
}

// The READ follows the compare-and-swap on the same queue pair, so it sees the version as it stays
// from now on.
void Locks::add_requests(Access& access) {
  assert(access.located());
  const RemoteAddress lock = attempt_.address(access, kLockOffset);
  attempt_.requests().compare_and_swap(lock, kUnlocked, attempt_.lock_word(),
                                       &access.lock().found_word());
  attempt_.requests().read(lock, access.header(), kLockAndVersionBytes);
}

void Locks::take_answers(Access& access) {
  if (access.lock().found_word() != kUnlocked) {
    attempt_.reach("occ: lock by compare-and-swap finds it taken");
    attempt_.conflict(Abort::kLockConflict,
                      {.name = access.name(), .lock = access.lock().found_word()});
    if (attempt_.doomed()) return;
  }
  access.lock().take(HeldLock::How::kHeld);
  const bool owned = load_word(access.header() + kLockOffset) == attempt_.lock_word();
  if (!owned && !attempt_.plan().ignore_conflicts) refuse_second_owner(access.name());
  const bool changed = load_word(access.header() + kVersionOffset) != access.version();
  if (changed && !attempt_.plan().skip_validation_for_test) {
    attempt_.reach("occ: lock by compare-and-swap finds the record changed");
    attempt_.conflict(Abort::kValidationFailed, {.name = access.name()});
  }
}

void Locks::acquire_two_sided(const PhasePlan& phase) {
  check_calls_.clear();
  for (Access& access : attempt_.accesses()) {
    if (access.to_lock()) check_calls_.add(access);
  }
  check_calls_.lock(phase);
}

bool Locks::released_by_cpu(const Access& access) const {
  assert(access.lock().held());
  return attempt_.local(access) && (access.lock().how() == HeldLock::How::kHeldSinceAdded ||
                                    attempt_.plan().lock.primitive == Primitive::kTwoSided);
}

void Locks::release_by_cpu(Access& access) {
  unlock_primary(attempt_.node(), attempt_.live(access), attempt_.lock_word());
  access.lock().release();
}

void Locks::release_by_write(Access& access) {
  attempt_.requests().write(attempt_.address(access, kLockOffset), &kUnlockedWord,
                            sizeof kUnlockedWord);
  access.lock().release();
}

void Locks::release_all() {
  const bool one_sided = attempt_.plan().commit.primitive == Primitive::kOneSided;
  sender_.clear();
  for (Access& access : attempt_.accesses()) {
    if (!access.lock().held()) continue;
    if (released_by_cpu(access)) {
      attempt_.reach("occ: lock given back by CPU");
      attempt_.core().spend(Work::kLocalAtomic);
      release_by_cpu(access);
    } else if (one_sided) {
      attempt_.reach("occ: lock given back by WRITE");
      release_by_write(access);
    } else {
      attempt_.reach("occ: lock given back by handler");
      sender_.add_unlock(access);
    }
  }
  sender_.send_requests();
  sender_.send_unlocks();
}

}  // namespace verbena::txn::occ
