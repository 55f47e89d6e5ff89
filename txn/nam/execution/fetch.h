// Fetching the records that an attempt has noted.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/key_look_up.h"
#include "txn/nam/execution/overflow_reads.h"
#include "txn/nam/execution/version_search.h"

namespace verbena::txn::nam {

/// Brings all look-ups a step on at a time: what they need next is posted together, and waited for
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

  /// All that was noted and not fetched yet, by the snapshot that was taken. False: the attempt is
  /// doomed.
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
