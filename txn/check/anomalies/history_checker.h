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

/// Checks attempts as they come, against a plain model of the tables. Not thread-safe.
class HistoryChecker {
 public:
  virtual ~HistoryChecker() = default;

  /// Adds attempts that have ended, each once.
  virtual void add(ClientHistory history) = 0;

  /// Checks the attempts decided before `now`. Attempts added later must not have begun before it.
  virtual void replay(Moment now) = 0;

  /// Checks all attempts added; nothing may be added afterwards.
  virtual void finish() = 0;

  struct FinalValue {
    RecordName record;
    ValueDigest value;
  };

  /// Compares the model with the final values of records. Called after finish.
  virtual void compare_final(std::span<const FinalValue> found) = 0;

  /// Visits the records whose final values compare_final needs, with those of all others that may
  /// have changed.
  virtual void visit_records(
      const std::function<void(const RecordName& record)>& visitor) const = 0;

  /// Number of attempts checked.
  virtual std::uint64_t replayed() const = 0;

  /// Number of operations that were not checked, since that would have taken too long.
  virtual std::uint64_t undecided() const { return 0; }

  /// Returns the anomaly by which the run failed; none if it has passed so far.
  virtual const std::optional<Anomaly>& anomaly() const = 0;
};

}  // namespace verbena::txn
