// Messages that tell what a transaction waits for.
#pragma once

#include <optional>
#include <string>

#include "txn/metrics.h"
#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/range_scan.h"
#include "txn/nam/transaction/old_places.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Tells what an attempt waits for. May be made and asked at any time by the transaction's fiber,
/// or when nothing runs any more.
class WaitingText {
 public:
  /// The arguments, parts of the transaction, must outlive it.
  WaitingText(const Attempt& attempt, const AccessSet& accesses, const RangeScan& scans,
              const OldPlaces& places)
      : attempt_(attempt), accesses_(accesses), scans_(scans), places_(places) {}

  /// Tells what the current attempt waits for.
  std::string of_attempt() const;
  /// Tells what stood in the way of the last attempt, which ended by `cause`, if there was one.
  std::string of_next(std::optional<AbortCause> cause) const;

 private:
  std::string text(const RecordName& name) const;
  std::string holder_of(std::uint64_t lock) const;
  std::string reads() const;
  std::string read_of(const Access& access) const;

  const Attempt& attempt_;
  const AccessSet& accesses_;
  const RangeScan& scans_;
  const OldPlaces& places_;
};

}  // namespace verbena::txn::nam
