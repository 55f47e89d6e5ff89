// Looking again at what was read.
#include "txn/occ/commit/read_validation.h"

#include "txn/store/lock_word.h"

namespace verbena::txn::occ {

using rdma::Work;

void ReadValidation::validate(const PhasePlan& phase) {
  if (phase.primitive == Primitive::kOneSided) {
    validate_one_sided(phase);
  } else {
    validate_two_sided(phase);
  }
}

// A record that is inserted was not read.
bool ReadValidation::wanted(const Access& access) const {
  const bool again = attempt_.plan().validate_written && access.located() && !access.inserts() &&
                     access.lock().how() == HeldLock::How::kHeld;
  return again || access.to_validate();
}

bool ReadValidation::locked_by_another(const Access& access, std::uint64_t lock) const {
  return lock != kUnlocked && !(access.lock().held() && lock == attempt_.lock_word());
}

void ReadValidation::check_header(const Access& access) {
  const std::uint64_t lock = load_word(access.header() + kLockOffset);
  if (locked_by_another(access, lock)) {
    attempt_.reach("occ: validation by READ finds a lock");
    return attempt_.conflict(Abort::kReadLocked, {.name = access.name(), .lock = lock});
  }
  if (load_word(access.header() + kVersionOffset) == access.version()) return;
  attempt_.reach("occ: validation by READ finds another version");
  attempt_.conflict(Abort::kValidationFailed, {.name = access.name()});
}

void ReadValidation::check_local(const Access& access) {
  attempt_.core().spend(Work::kRecordAccess);
  std::byte* live = attempt_.live(access);
  const std::uint64_t lock = shared_word(live + kLockOffset).load(std::memory_order_acquire);
  attempt_.core().step(live);
  if (locked_by_another(access, lock)) {
    attempt_.reach("occ: validation by CPU finds a lock");
    return attempt_.conflict(Abort::kReadLocked, {.name = access.name(), .lock = lock});
  }
  const std::uint64_t version = shared_word(live + kVersionOffset).load(std::memory_order_acquire);
  if (version == access.version()) return;
  attempt_.reach("occ: validation by CPU finds another version");
  attempt_.conflict(Abort::kValidationFailed, {.name = access.name()});
}

void ReadValidation::validate_one_sided(const PhasePlan& phase) {
  for (const Access& access : attempt_.accesses()) {
    if (attempt_.doomed()) break;
    if (!wanted(access)) continue;
    if (attempt_.local(access)) {
      check_local(access);
      continue;
    }
    attempt_.requests().read(attempt_.address(access, kLockOffset), access.header(),
                             kLockAndVersionBytes);
    if (phase.outstanding) continue;
    attempt_.post_and_wait(phase);
    check_header(access);
  }
  if (!phase.outstanding) return;
  attempt_.post_and_wait(phase);
  for (const Access& access : attempt_.accesses()) {
    if (wanted(access) && !attempt_.local(access)) check_header(access);
  }
}

void ReadValidation::validate_two_sided(const PhasePlan& phase) {
  check_calls_.clear();
  for (Access& access : attempt_.accesses()) {
    if (!access.to_validate()) continue;
    if (attempt_.local(access)) {
      check_local(access);
    } else {
      check_calls_.add(access);
    }
  }
  if (!attempt_.doomed()) check_calls_.validate(phase);
}

}  // namespace verbena::txn::occ
