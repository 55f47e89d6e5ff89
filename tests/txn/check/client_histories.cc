// Putting attempts together.
#include "tests/txn/check/client_histories.h"

#include <array>
#include <utility>

#include "txn/check/replay/timestamp_check.h"
#include "txn/schema/value_digest.h"

namespace verbena::testing {

txn::Schema history_schema() {
  txn::TableDefinition table{.name = "unordered", .payload_bytes = 8, .initial_records = 10};
  txn::TableDefinition ordered = table;
  ordered.name = "ordered";
  ordered.ordered = true;
  return {table, ordered};
}

txn::ValueDigest loaded_value() { return txn::digest_of(std::array<std::byte, 8>{}); }

AttemptBuilder& AttemptBuilder::during(txn::Moment began, txn::Moment ended) {
  attempt_.began = began;
  attempt_.ended = ended;
  return *this;
}

AttemptBuilder& AttemptBuilder::placed(txn::Moment place) {
  attempt_.placed = place;
  return *this;
}

AttemptBuilder& AttemptBuilder::timestamp(std::uint64_t timestamp) {
  attempt_.timestamp = timestamp;
  return *this;
}

AttemptBuilder& AttemptBuilder::outcome(txn::Outcome outcome) {
  attempt_.outcome = outcome;
  return *this;
}

AttemptBuilder& AttemptBuilder::snapshot(const std::vector<std::uint32_t>& counts) {
  counts_ = counts;
  return *this;
}

AttemptBuilder& AttemptBuilder::stamp(std::uint32_t slot, std::uint32_t count) {
  snapshot_.stamp = {.slot = slot, .count = count};
  return *this;
}

AttemptBuilder& AttemptBuilder::fetched_at(Nanoseconds time) {
  snapshot_.fetched_at = time;
  return *this;
}

AttemptBuilder& AttemptBuilder::usable(Nanoseconds age) {
  snapshot_.usable = age;
  return *this;
}

AttemptBuilder& AttemptBuilder::placed_at(Nanoseconds time) {
  attempt_.placed_at = time;
  return *this;
}

AttemptBuilder& AttemptBuilder::told_at(Nanoseconds time) {
  attempt_.ended_at = time;
  return *this;
}

AttemptBuilder& AttemptBuilder::untold() {
  attempt_.told = false;
  return *this;
}

AttemptBuilder& AttemptBuilder::sequence(std::uint64_t number) {
  attempt_.sequence = number;
  return *this;
}

AttemptBuilder& AttemptBuilder::read(txn::Key key, txn::ValueDigest value, txn::TableId table) {
  accesses_.push_back(
      {.record = {.table = table, .partition = 0, .key = key}, .read = value, .fetched = true});
  return *this;
}

AttemptBuilder& AttemptBuilder::write(txn::Key key, txn::ValueDigest read, txn::ValueDigest written,
                                      txn::TableId table) {
  accesses_.push_back({.record = {.table = table, .partition = 0, .key = key},
                       .read = read,
                       .written = written,
                       .fetched = true,
                       .writes = true});
  return *this;
}

AttemptBuilder& AttemptBuilder::put(txn::Key key, txn::ValueDigest written) {
  accesses_.push_back(
      {.record = {.table = 0, .partition = 0, .key = key}, .written = written, .writes = true});
  return *this;
}

AttemptBuilder& AttemptBuilder::scan(txn::Key first, txn::Key last, std::uint32_t limit,
                                     const std::vector<txn::Key>& keys, bool descending) {
  scans_.push_back({.table = 1,
                    .partition = 0,
                    .descending = descending,
                    .whole = keys.size() < limit,
                    .orderly = true,
                    .first = first,
                    .last = last,
                    .first_key = static_cast<std::uint32_t>(keys_.size()),
                    .keys = static_cast<std::uint32_t>(keys.size())});
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  return *this;
}

void AttemptBuilder::add_to(txn::ClientHistory& history) const {
  txn::ClientAttempt attempt = attempt_;
  if (!counts_.empty()) {
    txn::ClientSnapshot snapshot = snapshot_;
    snapshot.first_count = static_cast<std::uint32_t>(history.all_counts.size());
    snapshot.counts = static_cast<std::uint32_t>(counts_.size());
    history.all_snapshots.push_back(snapshot);
    history.all_counts.insert(history.all_counts.end(), counts_.begin(), counts_.end());
    attempt.snapshot = static_cast<std::uint32_t>(history.all_snapshots.size());
  }
  attempt.first_access = static_cast<std::uint32_t>(history.all_accesses.size());
  attempt.accesses = static_cast<std::uint32_t>(accesses_.size());
  attempt.first_scan = static_cast<std::uint32_t>(history.all_scans.size());
  attempt.scans = static_cast<std::uint32_t>(scans_.size());
  const auto first_key = static_cast<std::uint32_t>(history.all_keys.size());
  for (txn::ClientScan scan : scans_) {
    scan.first_key += first_key;
    history.all_scans.push_back(scan);
  }
  history.attempts.push_back(attempt);
  history.all_accesses.insert(history.all_accesses.end(), accesses_.begin(), accesses_.end());
  history.all_keys.insert(history.all_keys.end(), keys_.begin(), keys_.end());
}

namespace {

std::optional<txn::Anomaly> found_by(txn::HistoryChecker& check,
                                     const std::vector<AttemptBuilder>& attempts) {
  txn::ClientHistory history;
  for (const AttemptBuilder& attempt : attempts) attempt.add_to(history);
  check.add(std::move(history));
  check.finish();
  return check.anomaly();
}

}  // namespace

std::optional<txn::Anomaly> replayed(const std::vector<AttemptBuilder>& attempts,
                                     txn::Isolation isolation) {
  txn::SerializabilityCheck check(history_schema(), isolation);
  return found_by(check, attempts);
}

std::optional<txn::Anomaly> replayed_by_timestamps(const std::vector<AttemptBuilder>& attempts) {
  txn::TimestampCheck check(history_schema(), txn::Isolation::kSerializability);
  return found_by(check, attempts);
}

std::string name_of(const std::optional<txn::Anomaly>& anomaly) {
  return anomaly ? anomaly->name : "";
}

}  // namespace verbena::testing
