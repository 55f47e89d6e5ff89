// Check that single records are linearizable.
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

/// Checks, for each record alone, that its operations have an order that explains each value read,
/// and that puts no operation before one that had ended when it began (Herlihy and Wing). Uses
/// nothing but what clients saw; ClientAttempt::placed is ignored.
///
/// Each attempt is one operation: a read; a write, which replaces kAbsentValue as an insert, or
/// leaves it as an erasure; or, if it fetched what it writes, a step that does both at once. An
/// aborted attempt did nothing, and one rolled back by its client did not write. An attempt whose
/// outcome its client does not know, or was not told, may have taken effect at any time since it
/// began, or never.
///
/// Values that were written once are checked by their times (ValueZones), in n log n; others, such
/// as absence, by a search (RegisterSearch). Both proceed from one moment without operations in
/// flight to the next, and forget what lies before. Operations that a search gives up are counted
/// and not checked; they are never an anomaly. Memory is 64 B per operation not yet forgotten, in
/// vectors that double when they grow. Not thread-safe.
class RegisterCheck final : public HistoryChecker {
 public:
  struct Limits {
    std::size_t states = RegisterSearch::kMostStates;  ///< most states that a search keeps
    std::size_t due = 64;  ///< fewest operations for which a record is checked before the end
  };

  static bool can_check(Isolation isolation);

  /// Throws std::logic_error for a promise that it cannot check.
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
  /// Number of operations not checked, where a block that a search gave up counts as one.
  std::uint64_t undecided() const override { return tools_.unchecked; }
  const std::optional<Anomaly>& anomaly() const override { return anomaly_; }

 private:
  struct RecordHash {
    std::size_t operator()(const RecordName& record) const;
  };
  struct Record {
    RecordName name;
    RegisterHistory history;
    std::size_t due;  // number of operations at which it is checked
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
