// Locks of the records that an attempt writes.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/transaction/claims.h"

namespace verbena::txn::nam {

/// Locks records to be written by compare-and-swap of the versions that were read, which validates
/// them; never waits for a lock. Claims keys without an entry meanwhile. Belongs to the
/// transaction's fiber.
class WriteLocks {
 public:
  WriteLocks(Attempt& attempt, AccessSet& accesses, Claims& claims)
      : attempt_(attempt), accesses_(accesses), claims_(claims) {}

  /// Locks all that is written, and waits. Returns false if some could not be locked; the attempt
  /// is then doomed.
  bool take_all();

  /// Releases the locks that it got, and waits.
  void give_back();

 private:
  void request();
  /// Notes which locks were taken; returns true if all were.
  bool all_had();
  void lose(const Access& access);

  Attempt& attempt_;
  AccessSet& accesses_;
  Claims& claims_;
};

}  // namespace verbena::txn::nam
