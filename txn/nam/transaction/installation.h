// Installation of the versions that an attempt writes.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/transaction/old_places.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// WRITEs three things for each record: the replaced version into its place among the old ones, the
/// header of that place, then the new version, which unlocks the record (NAM-DB paper, section
/// 4.1). Belongs to the transaction's fiber.
class Installation {
 public:
  Installation(Attempt& attempt, AccessSet& accesses, OldPlaces& places)
      : attempt_(attempt), accesses_(accesses), places_(places) {}

  /// Installs all that the attempt has locked and written, as commit `stamp`; waits for completion.
  void install(const Stamp& stamp);

 private:
  void write(const Access& access, const Stamp& stamp);

  Attempt& attempt_;
  AccessSet& accesses_;
  OldPlaces& places_;
};

}  // namespace verbena::txn::nam
