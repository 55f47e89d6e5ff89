// Checking that single records are linearizable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "txn/check/anomalies/history_checker.h"
#include "txn/check/anomalies/initial_values.h"
#include "txn/check/registers/register_history.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Checks, of each record alone, that its operations have an order that explains each value that
/// was read, and in which none comes before another that had ended when it began (Herlihy and
/// Wing). Knows nothing of the system but what its clients saw: ClientAttempt::placed is not looked
/// at.
///
/// Each attempt is one operation: a read; a write, with which an insert or an erasure leaves
/// kAbsentValue or replaces it; or, if it fetched what it writes, a step that does both in one.
/// Aborted ones did nothing, and those rolled back by their clients did not write. One whose client
/// does not know the outcome, or was not told, did what it wanted at any time since it began, or
/// never.
///
/// Values that were written once are checked by their times (ValueZones), in n log n; others, such
/// as absence, by a search (RegisterSearch). Both go from one moment when nothing is in flight to
/// the next, and what lies before is forgotten. What a search gives up is not checked, and counted;
/// it is never an anomaly. Memory is 64 B an operation that is not forgotten, in vectors that grow
/// to their double. Not thread-safe.
class RegisterCheck final : public HistoryChecker {
 public:
  struct Limits {
    std::size_t states = RegisterSearch::kMostStates;  ///< that a search keeps
    std::size_t due = 64;  ///< so many operations of a record at least are checked before the end
  };

  static bool can_check(Isolation isolation);

  /// Throws std::logic_error for another promise.
  RegisterCheck(const Schema& schema, Isolation isolation, const Limits& limits);
  RegisterCheck(const Schema& schema, Isolation isolation)
      : RegisterCheck(schema, isolation, Limits()) {}

  RegisterCheck(const RegisterCheck&) = delete;
  RegisterCheck& operator=(const RegisterCheck&) = delete;

  /// Throws std::logic_error for an attempt that accessed several records, or scanned.
  void add(ClientHistory history) override;
  void replay(Moment now) override;
  void finish() override;
  void compare_final(std::span<const FinalValue> values) override;
  void visit_records(const std::function<void(const RecordName& record)>& visitor) const override;
  std::uint64_t replayed() const override { return replayed_; }
  /// Blocks of operations that a search gave up count as one.
  std::uint64_t undecided() const override { return tools_.unchecked; }
  const std::optional<Anomaly>& anomaly() const override { return anomaly_; }

 private:
  struct RecordHash {
    std::size_t operator()(const RecordName& record) const;
  };
  struct Record {
    RecordName name;
    RegisterHistory history;
    std::size_t due;  // operations at which it is checked
  };

  void add(const ClientHistory& history, const ClientAttempt& attempt);
  void add(const RecordName& name, const RegisterOperation& operation);
  void found(const RecordName& record, const std::optional<RegisterFinding>& finding);

  const std::size_t least_due_;
  InitialValues initial_;
  RegisterTools tools_;
  std::unordered_map<RecordName, std::uint32_t, RecordHash> numbers_;  // in records_
  std::vector<Record> records_;
  std::vector<std::uint32_t> due_;  // records to be checked
  std::uint64_t added_ = 0;         // attempts
  std::uint64_t replayed_ = 0;
  std::optional<Anomaly> anomaly_;
};

}  // namespace verbena::txn
