// Fetching of the records that an attempt has noted.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/key_look_up.h"
#include "txn/nam/execution/overflow_reads.h"
#include "txn/nam/execution/version_search.h"

namespace verbena::txn::nam {

/// Advances all look-ups one step at a time: posts their next requests together and waits for them
/// together. Belongs to the transaction's fiber.
class Fetch {
 public:
  Fetch(Attempt& attempt, AccessSet& accesses, KeyLookUp& look_up, VersionSearch& search,
        OverflowReads& overflow)
      : attempt_(attempt),
        accesses_(accesses),
        look_up_(look_up),
        search_(search),
        overflow_(overflow) {}

  /// Fetches all records noted since the last call, from the snapshot that was taken. Returns false
  /// if the attempt is doomed.
  bool fetch();

 private:
  void settle_what_is_nowhere();
  bool all_settled();
  bool take_step();
  void request(Access& access);
  void consider(Access& access);

  Attempt& attempt_;
  AccessSet& accesses_;
  KeyLookUp& look_up_;
  VersionSearch& search_;
  OverflowReads& overflow_;
};

}  // namespace verbena::txn::nam
