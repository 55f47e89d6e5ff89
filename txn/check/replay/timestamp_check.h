// Check that what clients saw fits the order of their timestamps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "txn/check/anomalies/anomaly.h"
#include "txn/check/anomalies/anomaly_search.h"
#include "txn/check/anomalies/history_checker.h"
#include "txn/check/anomalies/initial_values.h"
#include "txn/check/anomalies/scanned_keys.h"
#include "txn/check/replay/unknown_outcomes.h"
#include "txn/check/replay/version_table.h"
#include "txn/client_history.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Replays the attempts of a run in the order of their timestamps (ClientAttempt::timestamp),
/// whatever the clock says, against a plain model of its tables: for systems that promise
/// serializability in this order (SystemInfo::ordered_by_timestamps). Each attempt that committed,
/// or was rolled back by its client, must have read what the model holds; a record that it replaced
/// without reading it must have been there. No two committed attempts share a timestamp, and in the
/// end records hold what the model does.
///
/// The first attempt that does not fit is explained (find_anomaly); else it is reported as out of
/// the order of its timestamp, with all values and times. An attempt that was rolled back before it
/// had a timestamp is only checked by itself. An attempt of unknown outcome counts if its writes
/// were read; else they may be there or not (UnknownOutcomes).
///
/// finish() replays everything, so nothing is forgotten: 16 B an attempt besides its history. Not
/// thread-safe.
class TimestampCheck final : public HistoryChecker {
 public:
  /// True for a promise that timestamps can keep without clocks.
  static bool can_check(Isolation isolation) { return isolation == Isolation::kSerializability; }

  /// Throws std::logic_error for a promise that cannot be checked.
  TimestampCheck(const Schema& schema, Isolation isolation);

  TimestampCheck(const TimestampCheck&) = delete;
  TimestampCheck& operator=(const TimestampCheck&) = delete;

  void add(ClientHistory history) override;
  /// Does nothing: finish() replays everything.
  void replay(Moment) override {}
  /// Throws std::logic_error for an attempt that committed accesses without a timestamp.
  void finish() override;
  void compare_final(std::span<const FinalValue> found) override;
  void visit_records(const std::function<void(const RecordName& record)>& visitor) const override;
  std::uint64_t replayed() const override { return replayed_; }
  const std::optional<Anomaly>& anomaly() const override { return anomaly_; }

 private:
  struct Step {
    std::uint64_t timestamp;
    std::uint32_t history;
    std::uint32_t attempt;
  };
  // An access that did not fit, with the version that the model held.
  struct Misfit {
    Misread misread;
    VersionTable::Version held;
  };

  const ClientHistory& history_of(const Step& step) const { return histories_[step.history]; }
  const ClientAttempt& attempt_of(const Step& step) const {
    return histories_[step.history].attempts[step.attempt];
  }
  std::vector<Step> in_order();
  std::optional<Anomaly> duplicate(std::span<const Step> steps) const;
  void replay(const Step& step);
  void compare(const ClientHistory& history, const ClientAttempt& attempt);
  void apply(const ClientHistory& history, const ClientAttempt& attempt);
  void prefetch(std::span<const Step> steps, std::size_t next) const;
  void judge();
  void compare_final(const FinalValue& found);
  Attempts all() const;

  InitialValues initial_;
  VersionTable table_;
  ScannedKeys scanned_;
  UnknownOutcomes unknown_;
  std::deque<ClientHistory> histories_;
  std::vector<Misfit> misfits_;
  std::uint64_t replayed_ = 0;
  std::optional<Anomaly> anomaly_;
};

}  // namespace verbena::txn
