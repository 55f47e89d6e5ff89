// The replay by timestamps.
#include "txn/check/replay/timestamp_check.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace verbena::txn {
namespace {

/// So many accesses that do not fit are looked at.
constexpr std::size_t kMisfits = 16;

/// So many attempts ahead of their turn their records are looked for in memory.
constexpr std::size_t kAhead = 8;

}  // namespace

TimestampCheck::TimestampCheck(const Schema& schema, Isolation isolation)
    : initial_(schema), table_(initial_), scanned_(initial_) {
  if (!can_check(isolation)) {
    throw std::logic_error(std::string("an order by timestamps is not checked for ") +
                           isolation_name(isolation));
  }
}

void TimestampCheck::add(ClientHistory history) {
  if (history.attempts.empty()) return;
  history.attempts.shrink_to_fit();
  history.all_accesses.shrink_to_fit();
  histories_.push_back(std::move(history));
}

Attempts TimestampCheck::all() const {
  Attempts attempts;
  for (const ClientHistory& history : histories_) attempts.histories.push_back(&history);
  return attempts;
}

void TimestampCheck::finish() {
  std::vector<ClientHistory*> histories;
  histories.reserve(histories_.size());
  for (ClientHistory& history : histories_) histories.push_back(&history);
  UnknownOutcomes::decide(histories, initial_);
  const std::vector<Step> steps = in_order();
  if (!anomaly_) anomaly_ = duplicate(steps);
  for (std::size_t i = 0; i < steps.size() && misfits_.size() < kMisfits; ++i) {
    prefetch(steps, i);
    replay(steps[i]);
  }
  if (!anomaly_ && !misfits_.empty()) judge();
}

// Looks at each attempt alone besides.
std::vector<TimestampCheck::Step> TimestampCheck::in_order() {
  std::vector<Step> steps;
  for (std::uint32_t h = 0; h < histories_.size(); ++h) {
    const ClientHistory& history = histories_[h];
    for (std::uint32_t a = 0; a < history.attempts.size(); ++a) {
      const ClientAttempt& attempt = history.attempts[a];
      const bool unknown = UnknownOutcomes::unknown(attempt);
      const bool committed = attempt.outcome == Outcome::kCommitted;
      if (!committed && !unknown && attempt.outcome != Outcome::kRolledBack) continue;
      if (!unknown && !anomaly_) anomaly_ = wrong_by_itself(history, attempt);
      if (attempt.timestamp != 0) {
        steps.push_back({.timestamp = attempt.timestamp, .history = h, .attempt = a});
      } else if (committed && attempt.accesses + attempt.scans > 0) {
        throw std::logic_error("a committed attempt has no timestamp");
      }
    }
  }
  std::ranges::sort(steps, {}, [](const Step& step) {
    return std::tuple(step.timestamp, step.history, step.attempt);
  });
  return steps;
}

std::optional<Anomaly> TimestampCheck::duplicate(std::span<const Step> steps) const {
  const Step* before = nullptr;  // the last that committed
  for (const Step& step : steps) {
    if (attempt_of(step).outcome != Outcome::kCommitted) continue;
    if (before != nullptr && before->timestamp == step.timestamp) {
      return same_timestamp(history_of(*before), attempt_of(*before), history_of(step),
                            attempt_of(step));
    }
    before = &step;
  }
  return std::nullopt;
}

void TimestampCheck::replay(const Step& step) {
  const ClientHistory& history = history_of(step);
  const ClientAttempt& attempt = attempt_of(step);
  if (UnknownOutcomes::unknown(attempt)) {
    for (const ClientAccess& access : history.accesses(attempt)) {
      if (access.writes) unknown_.may_be(access.record, access.written);
    }
    return;
  }
  ++replayed_;
  compare(history, attempt);
  if (attempt.outcome == Outcome::kCommitted) apply(history, attempt);
}

void TimestampCheck::compare(const ClientHistory& history, const ClientAttempt& attempt) {
  const auto tell = [&](const RecordName& record, const VersionTable::Version& held) {
    misfits_.push_back(
        {.misread = {.history = &history, .attempt = &attempt, .record = record}, .held = held});
  };
  for (const ClientAccess& access : history.accesses(attempt)) {
    const VersionTable::Version& held = table_.newest(table_.find(access.record));
    if (!fits(access, held.value) && !unknown_.can_fit(access)) tell(access.record, held);
  }
  for (const ClientScan& scan : history.scans(attempt)) {
    const auto gone = [&](const RecordName& record) {
      return table_.newest(table_.find(record)).value == kAbsentValue;
    };
    for (const RecordName& record : scanned_.left_out(scan, history.keys(scan), gone)) {
      const ClientAccess absent{.record = record, .fetched = true};
      if (!unknown_.can_fit(absent)) tell(record, table_.newest(table_.find(record)));
    }
  }
}

void TimestampCheck::apply(const ClientHistory& history, const ClientAttempt& attempt) {
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (!access.writes) continue;
    const VersionTable::Record record = table_.find(access.record);
    const ValueDigest before = table_.newest(record).value;
    if (attempt.told) {
      unknown_.replaced(access.record);
    } else {
      unknown_.may_rest(access.record, before);
    }
    if (before == kAbsentValue && access.written != kAbsentValue) scanned_.add(access.record);
    table_.write(record, access.written, attempt.timestamp, attempt.timestamp);
  }
}

// Tables are large, and their records are looked at in no order.
void TimestampCheck::prefetch(std::span<const Step> steps, std::size_t next) const {
  const auto accesses_of = [&](std::size_t i) {
    return history_of(steps[i]).accesses(attempt_of(steps[i]));
  };
  if (next + kAhead < steps.size()) {
    for (const ClientAccess& access : accesses_of(next + kAhead)) {
      table_.prefetch_place(access.record);
    }
  }
  if (next + kAhead / 2 < steps.size()) {
    for (const ClientAccess& access : accesses_of(next + kAhead / 2)) {
      table_.prefetch_record(access.record);
    }
  }
}

void TimestampCheck::judge() {
  std::vector<Misread> misreads;
  misreads.reserve(misfits_.size());
  for (const Misfit& misfit : misfits_) misreads.push_back(misfit.misread);
  anomaly_ = find_anomaly(all(), initial_, false, misreads);
  if (anomaly_) return;
  const Misfit& first = misfits_.front();
  anomaly_ = out_of_timestamp_order(all(), first.misread, first.held.value, first.held.since);
}

void TimestampCheck::compare_final(std::span<const FinalValue> found) {
  for (const FinalValue& one : found) compare_final(one);
}

void TimestampCheck::compare_final(const FinalValue& found) {
  if (anomaly_) return;
  const ValueDigest expected = table_.value_of(found.record);
  if (found.value == expected || unknown_.can_rest(found.record, found.value)) return;
  anomaly_ = final_anomaly(all(), found.record, expected, found.value);
}

void TimestampCheck::visit_records(
    const std::function<void(const RecordName& record)>& visitor) const {
  for (VersionTable::Record record = 0; record < table_.size(); ++record) {
    visitor(table_.name(record));
  }
}

}  // namespace verbena::txn
