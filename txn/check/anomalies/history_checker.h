// Interface of the checks of histories.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "txn/check/anomalies/anomaly.h"
#include "txn/client_history.h"
#include "txn/moment.h"
#include "txn/schema/table.h"

namespace verbena::txn {

/// Checks attempts while they come, against a plain model of the tables. Not thread-safe.
class HistoryChecker {
 public:
  virtual ~HistoryChecker() = default;

  /// Attempts that have ended, each given once.
  virtual void add(ClientHistory history) = 0;

  /// Checks what was decided before `now`: no attempt that is added from now on began before it.
  virtual void replay(Moment now) = 0;

  /// Checks all that was added; nothing is added after that.
  virtual void finish() = 0;

  struct FinalValue {
    RecordName record;
    ValueDigest value;
  };

  /// To be called after finish with what records hold in the end.
  virtual void compare_final(std::span<const FinalValue> found) = 0;

  /// Visits the records that were asked for; compare_final is to be called with them, and with all
  /// others that may have changed.
  virtual void visit_records(
      const std::function<void(const RecordName& record)>& visitor) const = 0;

  /// Attempts that were checked.
  virtual std::uint64_t replayed() const = 0;

  /// Operations of which it is not known whether they fit, since finding out would take too long.
  virtual std::uint64_t undecided() const { return 0; }

  /// The anomaly by which the run did not pass; none if it has passed so far.
  virtual const std::optional<Anomaly>& anomaly() const = 0;
};

}  // namespace verbena::txn
