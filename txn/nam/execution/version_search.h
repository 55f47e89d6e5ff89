// Which version of a record an attempt reads, and where that is.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/key_look_up.h"
#include "txn/nam/execution/overflow_reads.h"

namespace verbena::txn::nam {

/// READs a record's current version and, if the snapshot does not hold that, its old versions'
/// headers and the latest of those that the snapshot holds (NAM-DB paper, section 4.1). It reads
/// through locks. Whoever will write looks for no older version: what it would replace is another
/// one. Belongs to the transaction's fiber.
class VersionSearch {
 public:
  VersionSearch(Attempt& attempt, AccessSet& accesses, KeyLookUp& look_up, OverflowReads& overflow)
      : attempt_(attempt), accesses_(accesses), look_up_(look_up), overflow_(overflow) {}

  // Add the READs of kCurrent, kHeaders or kOld to those of the attempt.
  void request_current(Access& access);
  void request_headers(Access& access);
  void request_old(Access& access);
  // Take what these have read, which may be torn, and is read again then.
  void take_current(Access& access);
  void take_headers(Access& access);
  void take_old(Access& access);

 private:
  /// The snapshot holds the current version.
  void take_visible(Access& access);

  Attempt& attempt_;
  AccessSet& accesses_;
  KeyLookUp& look_up_;
  OverflowReads& overflow_;
};

}  // namespace verbena::txn::nam
