// A limit on the age of snapshots, and when it is too little for a transaction ever to commit.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "rdma/base/time.h"

namespace verbena::txn {

/// One fiber's part in a limit on the age of snapshots (NAM-DB paper, section 5.3: E). An attempt
/// that has got older is given up and tried again by a fresh snapshot; where attempts always take
/// longer than the limit that goes on for ever, so it is found out here. Only tries of one
/// transaction speak for that. A stall of a peer, of the network or of this machine makes the
/// attempts old that were under way, one of each fiber; a snapshot that is used again while none
/// comes makes many old, which count once. So it takes kTries that got too old, since the fiber's
/// last transaction was over, in no less than as many times the limit. Attempts that others got in
/// the way of count neither way: a transaction that is aborted by its age whenever it is not by
/// others does not commit.
class AgeLimit {
 public:
  static constexpr std::uint32_t kTries = 100;

  struct Setting {
    std::string name;  ///< as users know it
    Nanoseconds value;
    Nanoseconds by_default;
  };
  explicit AgeLimit(Setting setting) : setting_(std::move(setting)) {}

  const Setting& setting() const { return setting_; }

  /// True if the running attempt may go on by a snapshot that began to be taken at `snapshot_at`.
  bool allows(Nanoseconds snapshot_at, Nanoseconds now);

  /// The attempt has ended; `over`: so has its transaction, which is not tried again. Throws
  /// ConfigurationError when it is known that trying it again is in vain.
  void attempt_ended(bool over, Nanoseconds now);

 private:
  [[noreturn]] void refuse() const;

  Setting setting_;
  Nanoseconds age_ = 0;           // of the running attempt's snapshot, if it is too old
  Nanoseconds at_ = 0;            // when that began to be taken
  Nanoseconds counted_ = kNever;  // likewise, of the last that was counted
  std::uint32_t tries_ = 0;       // of this transaction that got too old
  Nanoseconds since_ = 0;         // the first of them
  Nanoseconds least_ = 0;         // of their ages when that was seen
};

}  // namespace verbena::txn
