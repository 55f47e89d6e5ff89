// Locking, and giving locks back.
#include "txn/nam/transaction/write_locks.h"

#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

bool WriteLocks::take_all() {
  attempt_.at(Attempt::Step::kLocks);
  request();
  ServerMemory& servers = attempt_.servers();
  servers.post();
  const Nanoseconds posted = attempt_.now();
  if (!claims_.empty()) claims_.send();
  servers.wait();
  if (!claims_.empty()) {
    claims_.receive();
    attempt_.times().claim = attempt_.now() - posted;
  }
  return all_had();
}

// Compare-and-swap succeeds where the version is still the one that was read.
void WriteLocks::request() {
  claims_.clear();
  for (Access& access : accesses_) {
    if (!accesses_.written(access)) continue;
    if (!access.has_entry()) {
      claims_.add(access);
      continue;
    }
    check_installs(access.image().installs(), access.name());
    attempt_.servers().compare_and_swap(attempt_.layout().current(access.name(), access.entry()),
                                        access.image().version(), attempt_.lock_word(),
                                        access.place_of_found());
  }
}

bool WriteLocks::all_had() {
  bool all = true;
  for (Access& access : accesses_) {
    if (!accesses_.written(access)) continue;
    if (access.has_entry() && access.found() == access.image().version()) {
      access.was_locked();
      continue;
    }
    all = false;
    if (access.has_entry()) lose(access);
  }
  return all;
}

void WriteLocks::lose(const Access& access) {
  if (locked(access.found())) {
    attempt_.reach("nam: lock by compare-and-swap finds it taken");
    attempt_.lose(access.name(), Abort::kLocked, access.found());
  } else {
    attempt_.reach("nam: lock by compare-and-swap finds the record changed");
    attempt_.lose(access.name(), Abort::kStaleSnapshot, access.found());
  }
}

void WriteLocks::give_back() {
  for (Access& access : accesses_) {
    if (!access.locked()) continue;
    attempt_.reach("nam: lock given back");
    access.image().unlock();
    attempt_.servers().unlock(attempt_.layout().current(access.name(), access.entry()),
                              access.image());
    access.was_unlocked();
  }
  attempt_.access_servers();
}

}  // namespace verbena::txn::nam
