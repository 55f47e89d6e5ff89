// Replaying attempts against the values that their snapshots hold.
#include "txn/check/snapshot_check.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/random.h"
#include "txn/check/anomaly_search.h"

namespace verbena::txn {
namespace {

bool writes(const ClientHistory& history, const ClientAttempt& attempt) {
  if (attempt.outcome != Outcome::kCommitted) return false;
  return std::ranges::any_of(history.accesses(attempt), &ClientAccess::writes);
}

bool holds(std::span<const std::uint32_t> more, std::span<const std::uint32_t> less) {
  for (std::size_t slot = 0; slot < less.size(); ++slot) {
    if (more[slot] < less[slot]) return false;
  }
  return true;
}

std::string stamp_text(const Stamp& stamp) {
  return "commit " + std::to_string(stamp.count) + " of slot " + std::to_string(stamp.slot);
}

}  // namespace

bool SnapshotCheck::can_check(Isolation isolation) {
  return isolation == Isolation::kSnapshotIsolation || isolation == Isolation::kUpdateAtomicity;
}

SnapshotCheck::SnapshotCheck(const Schema& schema, Isolation isolation, std::size_t remembered)
    : most_remembered_(remembered),
      comparable_(isolation == Isolation::kSnapshotIsolation),
      initial_(schema),
      scanned_(initial_) {
  if (!can_check(isolation)) {
    throw std::logic_error(std::string("snapshots are not checked for ") +
                           isolation_name(isolation));
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
    if (attempt.outcome == Outcome::kAborted) continue;
    const bool writer = writes(block.history, attempt);
    if (writer && attempt.placed == kBeforeAll) {
      throw std::logic_error("a committed attempt that wrote has no place in the order");
    }
    waiting_.push_back(
        {.order = writer ? attempt.placed : attempt.ended, .block = &block, .attempt = i});
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
  forget();
}

void SnapshotCheck::replay_one(const ClientHistory& history, const ClientAttempt& attempt) {
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (access.changed) return found(changed_value(history, attempt, access.record));
  }
  for (const ClientScan& scan : history.scans(attempt)) {
    if (!scan.orderly) return found(disorderly_scan(history, attempt));
  }
  const ClientSnapshot* snapshot = history.snapshot(attempt);
  if (snapshot == nullptr) {
    if (attempt.accesses > 0) throw std::logic_error("an attempt without a snapshot");
    return;
  }
  const auto counts = history.counts(*snapshot);
  if (placed_.empty()) {
    placed_.resize(counts.size());
    shown_.resize(counts.size());
    unshown_.resize(counts.size());
  }
  if (counts.size() != placed_.size()) throw std::logic_error("snapshots of different lengths");
  check_snapshot(history, attempt, counts);
  if (!anomaly_ && comparable_) check_comparable(history, attempt, counts);
  if (!anomaly_) check_reads(history, attempt, counts);
  if (!anomaly_) check_scans(history, attempt, counts);
  if (!anomaly_ && writes(history, attempt)) apply(history, attempt, counts, snapshot->stamp);
}

// Against what others had committed, and against the client's own snapshots and commits before.
void SnapshotCheck::check_snapshot(const ClientHistory& history, const ClientAttempt& attempt,
                                   std::span<const std::uint32_t> counts) {
  const std::string who = attempt_text(attempt);
  for (std::uint32_t slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] <= placed_[slot]) continue;
    return found({.name = "early snapshot",
                  .what = who + " had a snapshot with " + stamp_text({slot, counts[slot]}) +
                          ", which had not been committed",
                  .attempts = {whole(history, attempt)},
                  .edges = {}});
  }
  for (std::uint32_t slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] <= shown_[slot]) continue;
    shown_[slot] = counts[slot];
    std::set<std::uint32_t>& rest = unshown_[slot];
    rest.erase(rest.begin(), rest.upper_bound(counts[slot]));
  }
  Client& client = clients_[attempt.client];
  if (!visible(client.stamp, counts)) {
    return found(
        {.name = "lost session",
         .what = who + " had a snapshot without its client's own " + stamp_text(client.stamp),
         .attempts = {whole(history, attempt)},
         .edges = {}});
  }
  if (!client.latest.empty() && !holds(counts, client.latest)) {
    return found({.name = "backward snapshot",
                  .what = who + " had a snapshot without what its client's snapshot before held",
                  .attempts = {whole(history, attempt)},
                  .edges = {}});
  }
  client.latest.assign(counts.begin(), counts.end());
}

// Among different snapshots in the order of their sums, each holds those before: it is enough to
// look at the neighbours.
void SnapshotCheck::check_comparable(const ClientHistory& history, const ClientAttempt& attempt,
                                     std::span<const std::uint32_t> counts) {
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const auto next = snapshots_.lower_bound(sum);
  const auto report = [&](const std::pair<Counts, Who>& other) {
    Anomaly anomaly{
        .name = "long fork",
        .what = attempt_text(attempt) + " had a snapshot with and without what another one holds",
        .attempts = {whole(history, attempt)},
        .edges = {}};
    if (auto attempt_of_other = find(other.second)) {
      anomaly.attempts.push_back(std::move(*attempt_of_other));
    }
    found(std::move(anomaly));
  };
  if (next != snapshots_.end()) {
    if (!holds(next->second.first, counts)) return report(next->second);
    if (next->first == sum) return;
  }
  if (next != snapshots_.begin() && !holds(counts, std::prev(next)->second.first)) {
    return report(std::prev(next)->second);
  }
  snapshots_.emplace_hint(next, sum,
                          std::pair(Counts(counts.begin(), counts.end()),
                                    Who{.client = attempt.client, .sequence = attempt.sequence}));
}

void SnapshotCheck::check_reads(const ClientHistory& history, const ClientAttempt& attempt,
                                std::span<const std::uint32_t> counts) {
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (!access.fetched || forgotten(values_of(access.record), counts)) continue;
    if (held(values_of(access.record), counts).value == access.read) continue;
    return misread(history, attempt, access, counts);
  }
}

// What is absent for whoever comes needs no further look.
void SnapshotCheck::check_scans(const ClientHistory& history, const ClientAttempt& attempt,
                                std::span<const std::uint32_t> counts) {
  for (const ClientScan& scan : history.scans(attempt)) {
    const auto gone = [this](const RecordName& record) {
      const Values& values = values_of(record);
      return values.size() == 1 && values.back().value == kAbsentValue;
    };
    for (const RecordName& record : scanned_.left_out(scan, history.keys(scan), gone)) {
      const Values& values = values_of(record);
      const Value& value = held(values, counts);
      if (value.value == kAbsentValue || forgotten(values, counts)) continue;
      Anomaly anomaly{.name = "phantom",
                      .what = attempt_text(attempt) + " was not given " + record_text(record) +
                              " by a scan, which its snapshot holds",
                      .attempts = {whole(history, attempt)},
                      .edges = {}};
      if (auto writer = find(value.writer)) anomaly.attempts.push_back(std::move(*writer));
      return found(std::move(anomaly));
    }
  }
}

// False: it does not follow the client's one before, or there is the same, or snapshots held it
// when nobody had it yet.
bool SnapshotCheck::take_stamp(Client& client, const Stamp& stamp) {
  if (stamp.slot == 0 || stamp.slot >= placed_.size()) return false;
  if (stamp.slot == client.stamp.slot && stamp.count <= client.stamp.count) return false;
  if (stamp.count <= shown_[stamp.slot]) return false;
  if (!unshown_[stamp.slot].insert(stamp.count).second) return false;
  placed_[stamp.slot] = std::max(placed_[stamp.slot], stamp.count);
  client.stamp = stamp;
  return true;
}

void SnapshotCheck::apply(const ClientHistory& history, const ClientAttempt& attempt,
                          std::span<const std::uint32_t> counts, const Stamp& stamp) {
  if (!take_stamp(clients_[attempt.client], stamp)) {
    return found({.name = "stamp used again",
                  .what = attempt_text(attempt) + " committed " + stamp_text(stamp) +
                          ", which does not follow the one before, or came too late",
                  .attempts = {whole(history, attempt)},
                  .edges = {}});
  }
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

// The snapshots of a client grow, so later ones hold what all of its latest hold.
void SnapshotCheck::find_floor() {
  floor_.clear();
  for (const auto& [id, client] : clients_) {
    if (client.latest.empty()) continue;
    if (floor_.empty()) {
      floor_ = client.latest;
    } else {
      std::ranges::transform(floor_, client.latest, floor_.begin(),
                             [](auto one, auto other) { return std::min(one, other); });
    }
  }
  std::erase_if(snapshots_, [this](const auto& snapshot) {
    return snapshot.second.first != floor_ && holds(floor_, snapshot.second.first);
  });
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

// What it read was written by somebody whom the snapshot does not hold, or replaced by somebody
// whom it holds, or never committed.
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
