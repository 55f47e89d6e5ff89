// Limit on the age of snapshots, and detection of transactions that it never lets commit.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "rdma/base/time.h"

namespace verbena::txn {

/// Applies the limit on the age of snapshots to one fiber (NAM-DB paper, section 5.3: E). An
/// attempt that has got older is given up and tried again with a fresh snapshot. If attempts always
/// take longer than the limit, that would go on for ever, so it is detected here.
///
/// The evidence is tries of one transaction. A stall of a peer, the network or this machine makes
/// only the attempts old that were under way, one of each fiber. A snapshot that is reused while no
/// new one comes makes many old, but counts once. So it takes kTries tries that got too old, since
/// the fiber's last transaction ended, over at least kTries times the limit. Attempts that others
/// aborted count neither way: a transaction that is aborted by age, whenever others do not abort
/// it, does not commit.
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

  /// Returns true if the running attempt may go on with a snapshot whose taking began at
  /// `snapshot_at`.
  bool allows(Nanoseconds snapshot_at, Nanoseconds now);

  /// Ends an attempt; `over`: its transaction has ended, too, and is not tried again. Throws
  /// ConfigurationError when further tries are known to be in vain.
  void attempt_ended(bool over, Nanoseconds now);

 private:
  [[noreturn]] void refuse() const;

  Setting setting_;
  Nanoseconds age_ = 0;           // age of the running attempt's snapshot, if it is too old
  Nanoseconds at_ = 0;            // when its taking began
  Nanoseconds counted_ = kNever;  // the same of the last snapshot that was counted
  std::uint32_t tries_ = 0;       // tries of this transaction that got too old
  Nanoseconds since_ = 0;         // time of the first of these tries
  Nanoseconds least_ = 0;         // lowest of the ages seen in these tries
};

}  // namespace verbena::txn
