// Attempts to operations on records, which are checked when there are many.
#include "txn/check/registers/register_check.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/random.h"
#include "txn/check/anomalies/anomaly_search.h"

namespace verbena::txn {

bool RegisterCheck::can_check(Isolation isolation) {
  return isolation == Isolation::kLinearizableRegisters;
}

RegisterCheck::RegisterCheck(const Schema& schema, Isolation isolation, const Limits& limits)
    : least_due_(limits.due), initial_(schema) {
  tools_.most_states = limits.states;
  if (can_check(isolation)) return;
  throw std::logic_error(std::string("single records are not checked for ") +
                         isolation_name(isolation));
}

std::size_t RegisterCheck::RecordHash::operator()(const RecordName& record) const {
  const std::uint64_t where = std::uint64_t{record.table} << 16 | record.partition;
  return mix64(record.key ^ where << 40);
}

void RegisterCheck::add(ClientHistory history) {
  for (const ClientAttempt& attempt : history.attempts) {
    if (anomaly_) return;
    add(history, attempt);
  }
}

void RegisterCheck::add(const ClientHistory& history, const ClientAttempt& attempt) {
  if (attempt.accesses > 1 || attempt.scans > 0) {
    throw std::logic_error("an attempt of several records is no operation on one");
  }
  const bool aborted = attempt.told && attempt.outcome == Outcome::kAborted;
  if (!aborted) ++added_;
  if (attempt.accesses == 0) return;
  const ClientAccess& access = history.accesses(attempt).front();
  if (access.changed && !aborted) {
    anomaly_ = changed_value(history, attempt, access.record);
    return;
  }
  RegisterOperation operation{.began = attempt.began,
                              .ended = attempt.ended,
                              .read = access.fetched ? access.read : kAbsentValue,
                              .written = access.writes ? access.written : kAbsentValue,
                              .sequence = attempt.sequence,
                              .began_at = attempt.began_at,
                              .ended_at = attempt.ended_at,
                              .client = attempt.client,
                              .outcome = attempt.outcome,
                              .reads = access.fetched,
                              .writes = access.writes};
  if (!attempt.told) operation.outcome = Outcome::kUnknown;
  const Outcome outcome = operation.outcome;
  if (outcome == Outcome::kCommitted || outcome == Outcome::kUnknown) {
    return add(access.record, operation);
  }
  RegisterOperation wanted = operation;
  wanted.effect = Effect::kNone;
  if (wanted.writes) add(access.record, wanted);
  operation.writes = false;
  if (!aborted) add(access.record, operation);
}

void RegisterCheck::add(const RecordName& name, const RegisterOperation& operation) {
  const auto [place, is_new] =
      numbers_.try_emplace(name, static_cast<std::uint32_t>(records_.size()));
  if (is_new) {
    records_.push_back(
        {.name = name, .history = RegisterHistory(initial_.of(name)), .due = least_due_});
  }
  RegisterOperation added = operation;
  // A step that leaves what it found has changed nothing.
  if (added.effect != Effect::kNone && added.reads && added.written == added.read) {
    added.writes = false;
  }
  if (added.outcome == Outcome::kUnknown) {
    if (!added.writes) return;
    added.ended = kAfterAll;
    added.effect = Effect::kPossible;
  }
  if (!added.reads && !added.writes) return;
  Record& record = records_[place->second];
  record.history.add(added);
  if (record.history.size() == record.due) due_.push_back(place->second);
}

void RegisterCheck::replay(Moment now) {
  for (const std::uint32_t number : std::exchange(due_, {})) {
    if (anomaly_) return;
    Record& record = records_[number];
    found(record.name, record.history.check_before(now, tools_));
    record.due = std::max(least_due_, 2 * record.history.size());
  }
}

void RegisterCheck::finish() {
  for (Record& record : records_) {
    if (anomaly_) return;
    found(record.name, record.history.check_all(tools_));
  }
  replayed_ = added_;
}

void RegisterCheck::found(const RecordName& record, const std::optional<RegisterFinding>& finding) {
  if (finding) anomaly_ = register_anomaly(record, *finding);
}

void RegisterCheck::compare_final(std::span<const FinalValue> values) {
  for (const FinalValue& one : values) {
    if (anomaly_) return;
    const auto place = numbers_.find(one.record);
    if (place != numbers_.end()) {
      found(one.record, records_[place->second].history.check_final(one.value, tools_));
    } else if (one.value != initial_.of(one.record)) {
      found(one.record, RegisterFinding{.name = "final state",
                                        .what = "it has changed, and nobody wrote it",
                                        .operations = {}});
    }
  }
}

void RegisterCheck::visit_records(
    const std::function<void(const RecordName& record)>& visitor) const {
  for (const Record& record : records_) visitor(record.name);
}

}  // namespace verbena::txn
