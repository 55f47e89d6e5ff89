// Locks of what an attempt writes.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/transaction/claims.h"

namespace verbena::txn::nam {

/// Locks what is written by compare-and-swap of the versions that were read, which validates
/// them; nobody waits for a lock. Keys that are in no entry are claimed meanwhile. Belongs to the
/// transaction's fiber.
class WriteLocks {
 public:
  WriteLocks(Attempt& attempt, AccessSet& accesses, Claims& claims)
      : attempt_(attempt), accesses_(accesses), claims_(claims) {}

  /// Locks all that is written, and waits. False: some could not be locked, and the attempt is
  /// doomed.
  bool take_all();

  /// Gives back those that it got, and waits.
  void give_back();

 private:
  void request();
  /// Notes which locks were had.
  bool all_had();
  void lose(const Access& access);

  Attempt& attempt_;
  AccessSet& accesses_;
  Claims& claims_;
};

}  // namespace verbena::txn::nam
