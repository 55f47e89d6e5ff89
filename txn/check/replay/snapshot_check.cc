// Replaying attempts against the values that their snapshots hold.
#include "txn/check/replay/snapshot_check.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/random.h"
#include "txn/check/anomalies/anomaly_search.h"

namespace verbena::txn {
namespace {

bool stamped(const ClientHistory& history, const ClientAttempt& attempt) {
  const ClientSnapshot* snapshot = history.snapshot(attempt);
  return snapshot != nullptr && snapshot->stamp.slot != 0;
}

bool writes(const ClientHistory& history, const ClientAttempt& attempt) {
  if (attempt.outcome != Outcome::kCommitted) return false;
  return std::ranges::any_of(history.accesses(attempt), &ClientAccess::writes);
}

}  // namespace

bool SnapshotCheck::can_check(Isolation isolation) {
  return isolation == Isolation::kSnapshotIsolation || isolation == Isolation::kUpdateAtomicity;
}

SnapshotCheck::SnapshotCheck(const Schema& schema, const SystemInfo& system, std::size_t remembered)
    : most_remembered_(remembered),
      comparable_(system.isolation == Isolation::kSnapshotIsolation),
      own_commits_(system.own_commits),
      freshness_(system.freshness),
      exact_scans_(system.exact_scans),
      initial_(schema),
      scanned_(initial_) {
  if (!can_check(system.isolation)) {
    throw std::logic_error(std::string("snapshots are not checked for ") +
                           isolation_name(system.isolation));
  }
}

std::size_t SnapshotCheck::RecordHash::operator()(const RecordName& record) const {
  const std::uint64_t where = std::uint64_t{record.table} << 16 | record.partition;
  return mix64(record.key ^ where << 40);
}

void SnapshotCheck::add(ClientHistory history) {
  if (anomaly_ || history.attempts.empty()) return;
  blocks_.push_back(std::make_unique<Block>(Block{.history = std::move(history)}));
  Block& block = *blocks_.back();
  remembered_ += block.history.attempts.size();
  for (std::uint32_t i = 0; i < block.history.attempts.size(); ++i) {
    const ClientAttempt& attempt = block.history.attempts[i];
    const bool has_stamp = stamped(block.history, attempt);
    if (attempt.outcome == Outcome::kAborted && !has_stamp) continue;
    const bool has_place = has_stamp || writes(block.history, attempt);
    if (has_place && attempt.placed == kBeforeAll) {
      throw std::logic_error("an attempt that wrote, or had a stamp, has no place in the order");
    }
    waiting_.push_back(
        {.order = has_place ? attempt.placed : attempt.ended, .block = &block, .attempt = i});
    ++block.waiting;
  }
}

void SnapshotCheck::replay(Moment now) {
  if (anomaly_) return;
  const auto later = std::partition(waiting_.begin(), waiting_.end(),
                                    [now](const Waiting& one) { return one.order < now; });
  const std::span<Waiting> batch(waiting_.begin(), later);
  std::ranges::sort(batch, {}, &Waiting::order);
  for (const Waiting& one : batch) {
    const ClientHistory& history = one.block->history;
    replay_one(history, history.attempts[one.attempt]);
    if (anomaly_) return;
    --one.block->waiting;
    ++replayed_;
  }
  waiting_.erase(waiting_.begin(), later);
  find_floor();
  forget_told();
  forget();
}

void SnapshotCheck::replay_one(const ClientHistory& history, const ClientAttempt& attempt) {
  const ClientSnapshot* snapshot = history.snapshot(attempt);
  if (snapshot != nullptr && placed_.empty()) {
    placed_.resize(snapshot->counts);
    told_.resize(snapshot->counts);
  }
  if (attempt.outcome == Outcome::kAborted) return place(history, attempt, snapshot->stamp);
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (access.changed) return found(changed_value(history, attempt, access.record));
  }
  for (const ClientScan& scan : history.scans(attempt)) {
    if (!scan.orderly) return found(disorderly_scan(history, attempt));
  }
  if (snapshot == nullptr) {
    if (attempt.accesses > 0) throw std::logic_error("an attempt without a snapshot");
    return;
  }
  const auto counts = history.counts(*snapshot);
  if (counts.size() != placed_.size()) throw std::logic_error("snapshots of different lengths");
  check_snapshot(history, attempt, counts);
  if (!anomaly_) check_freshness(history, attempt, *snapshot);
  if (!anomaly_ && comparable_) check_comparable(history, attempt, counts);
  if (!anomaly_) check_reads(history, attempt, counts);
  if (!anomaly_) check_scans(history, attempt, counts);
  if (anomaly_) return;
  if (snapshot->stamp.slot != 0) place(history, attempt, snapshot->stamp);
  if (anomaly_ || attempt.outcome != Outcome::kCommitted) return;
  note_told(attempt, snapshot->stamp);
  if (!writes(history, attempt)) return;
  check_age(history, attempt, *snapshot);
  if (!anomaly_) apply(history, attempt, counts, snapshot->stamp);
}

void SnapshotCheck::check_reads(const ClientHistory& history, const ClientAttempt& attempt,
                                std::span<const std::uint32_t> counts) {
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (!access.fetched || forgotten(values_of(access.record), counts)) continue;
    if (held(values_of(access.record), counts).value == access.read) continue;
    return misread(history, attempt, access, counts);
  }
}

// Skips what is absent for whoever comes, which needs no further look, and keys that were given and
// have been forgotten, since nobody knows whether they were there.
void SnapshotCheck::check_scans(const ClientHistory& history, const ClientAttempt& attempt,
                                std::span<const std::uint32_t> counts) {
  for (const ClientScan& scan : history.scans(attempt)) {
    const auto gone = [this](const RecordName& record) {
      const Values& values = values_of(record);
      return values.size() == 1 && values.back().value == kAbsentValue;
    };
    const auto is_there = [&](const RecordName& record, bool there) {
      const Values& values = values_of(record);
      const Value& value = held(values, counts);
      if (forgotten(values, counts) || (value.value != kAbsentValue) == there) return true;
      Anomaly anomaly{.name = "phantom",
                      .what = attempt_text(attempt) + (there ? " was" : " was not") + " given " +
                              record_text(record) + " by a scan, which its snapshot " +
                              (there ? "does not hold" : "holds"),
                      .attempts = {whole(history, attempt)},
                      .edges = {}};
      if (auto writer = find(value.writer)) anomaly.attempts.push_back(std::move(*writer));
      found(std::move(anomaly));
      return false;
    };
    for (const RecordName& record : scanned_.left_out(scan, history.keys(scan), gone)) {
      if (!is_there(record, false)) return;
    }
    if (!exact_scans_) continue;
    for (const Key key : history.keys(scan)) {
      if (!is_there({.table = scan.table, .partition = scan.partition, .key = key}, true)) return;
    }
  }
}

// Clients may share a slot.
void SnapshotCheck::place(const ClientHistory& history, const ClientAttempt& attempt,
                          const Stamp& stamp) {
  Stamp& before = clients_[attempt.client].stamp;
  const bool follows = before.slot != stamp.slot || before.count < stamp.count;
  if (follows && stamp.slot < placed_.size() && placed_[stamp.slot].add(stamp.count)) {
    if (attempt.outcome == Outcome::kCommitted) before = stamp;
    return;
  }
  found({.name = "stamp used again",
         .what = attempt_text(attempt) + " had the stamp of " + stamp_text(stamp) +
                 ", which does not follow the one before",
         .attempts = {whole(history, attempt)},
         .edges = {}});
}

void SnapshotCheck::apply(const ClientHistory& history, const ClientAttempt& attempt,
                          std::span<const std::uint32_t> counts, const Stamp& stamp) {
  const Who self{.client = attempt.client, .sequence = attempt.sequence};
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (!access.writes) continue;
    Values& values = values_of(access.record);
    const Value& latest = values.back();
    if (!visible(latest.stamp, counts)) {
      Anomaly anomaly{.name = "lost update",
                      .what = attempt_text(attempt) + " replaced " + record_text(access.record) +
                              ", whose latest value its snapshot does not hold",
                      .attempts = {whole(history, attempt)},
                      .edges = {}};
      if (auto other = find(latest.writer)) anomaly.attempts.push_back(std::move(*other));
      return found(std::move(anomaly));
    }
    const bool comes = latest.value == kAbsentValue && access.written != kAbsentValue;
    values.push_back({.value = access.written, .stamp = stamp, .writer = self});
    if (comes) scanned_.add(access.record);
    trim(values);
  }
}

SnapshotCheck::Values& SnapshotCheck::values_of(const RecordName& record) {
  Values& values = records_[record];
  if (values.empty()) values.push_back({.value = initial_.of(record), .stamp = {}, .writer = {}});
  return values;
}

// The latest that the snapshot holds; the first of all is held by each.
const SnapshotCheck::Value& SnapshotCheck::held(const Values& values,
                                                std::span<const std::uint32_t> counts) {
  auto value = values.end() - 1;
  while (value != values.begin() && !visible(value->stamp, counts)) --value;
  return *value;
}

void SnapshotCheck::trim(Values& values) const {
  if (floor_.empty()) return;
  const auto kept = &held(values, floor_) - values.data();
  values.erase(values.begin(), values.begin() + kept);
}

void SnapshotCheck::forget() {
  auto first = blocks_.begin();
  for (; first != blocks_.end(); ++first) {
    const std::size_t attempts = (*first)->history.attempts.size();
    if ((*first)->waiting > 0 || remembered_ - attempts < most_remembered_) break;
    remembered_ -= attempts;
  }
  blocks_.erase(blocks_.begin(), first);
}

void SnapshotCheck::compare_final(std::span<const FinalValue> found_values) {
  for (const FinalValue& one : found_values) {
    if (anomaly_) return;
    const Value& latest = values_of(one.record).back();
    if (latest.value == one.value) continue;
    Anomaly anomaly{.name = "final state",
                    .what = record_text(one.record) + " is not in the end what was written last",
                    .attempts = {},
                    .edges = {}};
    if (auto writer = find(latest.writer)) anomaly.attempts.push_back(std::move(*writer));
    found(std::move(anomaly));
  }
}

void SnapshotCheck::visit_records(
    const std::function<void(const RecordName& record)>& visitor) const {
  std::vector<RecordName> names;
  names.reserve(records_.size());
  for (const auto& [name, values] : records_) names.push_back(name);
  std::ranges::sort(names);
  for (const RecordName& name : names) visitor(name);
}

void SnapshotCheck::found(Anomaly anomaly) {
  if (!anomaly_) anomaly_ = std::move(anomaly);
}

AnomalousAttempt SnapshotCheck::whole(const ClientHistory& history,
                                      const ClientAttempt& attempt) const {
  const auto accesses = history.accesses(attempt);
  return {.attempt = attempt, .accesses = {accesses.begin(), accesses.end()}};
}

std::optional<AnomalousAttempt> SnapshotCheck::find(const Who& who) const {
  for (const auto& block : blocks_) {
    for (const ClientAttempt& attempt : block->history.attempts) {
      if (attempt.client == who.client && attempt.sequence == who.sequence) {
        return whole(block->history, attempt);
      }
    }
  }
  return std::nullopt;
}

// Tells why a read is wrong: the value was written by somebody whom the snapshot does not hold, or
// replaced by somebody whom it holds, or never committed.
void SnapshotCheck::misread(const ClientHistory& history, const ClientAttempt& attempt,
                            const ClientAccess& access, std::span<const std::uint32_t> counts) {
  const std::string saw = attempt_text(attempt) + " read " + record_text(access.record);
  const Values& values = values_of(access.record);
  const auto read = std::ranges::find(values, access.read, &Value::value);
  Anomaly anomaly{.name = "unwritten value",
                  .what = saw + " with a value that nobody committed, or long before",
                  .attempts = {whole(history, attempt)},
                  .edges = {}};
  if (read != values.end()) {
    const bool early = !visible(read->stamp, counts);
    anomaly.name = early ? "early read" : "fractured read";
    anomaly.what = saw + (early ? " as its snapshot does not hold it yet"
                                : " as it was before what its snapshot holds");
    const Value& other = early ? *read : held(values, counts);
    if (auto writer = find(other.writer)) anomaly.attempts.push_back(std::move(*writer));
  }
  found(std::move(anomaly));
}

}  // namespace verbena::txn
