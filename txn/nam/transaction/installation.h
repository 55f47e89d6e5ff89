// Installing the versions that an attempt writes.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/transaction/old_places.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// WRITEs, of each record, the version that it replaces into its place among the old ones, then the
/// header of that, then the new version, which unlocks it (NAM-DB paper, section 4.1). Belongs to
/// the transaction's fiber.
class Installation {
 public:
  Installation(Attempt& attempt, AccessSet& accesses, OldPlaces& places)
      : attempt_(attempt), accesses_(accesses), places_(places) {}

  /// All that the attempt writes and has locked, as commit `stamp`; waits until it is there.
  void install(const Stamp& stamp);

 private:
  void write(const Access& access, const Stamp& stamp);

  Attempt& attempt_;
  AccessSet& accesses_;
  OldPlaces& places_;
};

}  // namespace verbena::txn::nam
