// Search for the version of a record that an attempt reads.
#pragma once

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/key_look_up.h"
#include "txn/nam/execution/overflow_reads.h"

namespace verbena::txn::nam {

/// READs a record's current version. If the snapshot does not hold it, READs the headers of the old
/// versions, then the latest of those that the snapshot holds (NAM-DB paper, section 4.1). Reads
/// through locks. Does not search older versions of a record to be written: it would replace
/// another version. Belongs to the transaction's fiber.
class VersionSearch {
 public:
  VersionSearch(Attempt& attempt, AccessSet& accesses, KeyLookUp& look_up, OverflowReads& overflow)
      : attempt_(attempt), accesses_(accesses), look_up_(look_up), overflow_(overflow) {}

  // Add the READs of kCurrent, kHeaders or kOld to the attempt's requests.
  void request_current(Access& access);
  void request_headers(Access& access);
  void request_old(Access& access);
  // Evaluate what these have read; what is torn is read again.
  void take_current(Access& access);
  void take_headers(Access& access);
  void take_old(Access& access);

 private:
  /// Takes the current version, which the snapshot holds.
  void take_visible(Access& access);

  Attempt& attempt_;
  AccessSet& accesses_;
  KeyLookUp& look_up_;
  OverflowReads& overflow_;
};

}  // namespace verbena::txn::nam
