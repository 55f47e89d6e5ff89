// Collecting an attempt, which is added to the history when it has ended.
#include "txn/client_recorder.h"

#include <cassert>

namespace verbena::txn {
namespace {

bool orderly(const KeyRange& range, std::uint32_t limit, std::span<const Key> keys) {
  const auto goes_on = [&](Key one, Key next) {
    return range.descending ? one > next : one < next;
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] < range.first || keys[i] > range.last) return false;
    if (i > 0 && !goes_on(keys[i - 1], keys[i])) return false;
  }
  return keys.size() <= limit;
}

}  // namespace

void ClientRecorder::begin(Nanoseconds now) {
  accesses_.clear();
  scans_.clear();
  keys_.clear();
  ++attempt_.sequence;
  attempt_.placed = kBeforeAll;
  attempt_.timestamp = 0;
  counts_.clear();
  snapshot_ = {};
  attempt_.began = moments_->next();
  attempt_.began_at = now;
  active_ = true;
}

void ClientRecorder::want(const RecordName& name, AttemptRecords::Handle handle) {
  if (handle == accesses_.size()) accesses_.push_back({.record = name});
}

void ClientRecorder::fetch(std::span<const AttemptRecords::Item> items) {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const AttemptRecords::Item& item = items[i];
    // Records that numbers are drawn from are no matter of isolation.
    if (!item.fetched || item.drawn || item.blind || accesses_[i].fetched) continue;
    accesses_[i].fetched = true;
    if (item.found) accesses_[i].read = digest_of({item.payload, item.bytes});
  }
}

void ClientRecorder::scan(const KeyRange& range, std::uint32_t limit, std::span<const Key> keys) {
  scans_.push_back({.table = range.table,
                    .partition = range.partition,
                    .descending = range.descending,
                    .whole = keys.size() < limit,
                    .orderly = orderly(range, limit, keys),
                    .first = range.first,
                    .last = range.last,
                    .first_key = static_cast<std::uint32_t>(keys_.size()),
                    .keys = static_cast<std::uint32_t>(keys.size())});
  keys_.insert(keys_.end(), keys.begin(), keys.end());
}

void ClientRecorder::take_snapshot(const ReadSnapshot& snapshot) {
  assert(counts_.empty() && !snapshot.counts.empty());
  counts_.assign(snapshot.counts.begin(), snapshot.counts.end());
  snapshot_.fetched_at = snapshot.fetched_at;
  snapshot_.usable = snapshot.usable;
}

void ClientRecorder::take_stamp(const Stamp& stamp) {
  assert(!counts_.empty());
  snapshot_.stamp = stamp;
}

void ClientRecorder::take_place(Nanoseconds now) {
  if (attempt_.placed != kBeforeAll) return;
  attempt_.placed = moments_->next();
  attempt_.placed_at = now;
}

void ClientRecorder::write(std::span<const AttemptRecords::Item> items) {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const AttemptRecords::Item& item = items[i];
    if (!item.written) {
      const bool same = !accesses_[i].fetched || !item.found ||
                        digest_of({item.payload, item.bytes}) == accesses_[i].read;
      accesses_[i].changed = !same;
      continue;
    }
    accesses_[i].writes = true;
    if (!item.erased) accesses_[i].written = digest_of({item.payload, item.bytes});
  }
}

bool ClientRecorder::holds(std::span<const std::uint32_t> published) const {
  const Stamp& stamp = snapshot_.stamp;
  return stamp.slot != 0 && stamp.slot < published.size() && visible(stamp, published);
}

void ClientRecorder::keep(std::span<const std::uint32_t> published) {
  if (!active_ || !holds(published)) return;
  attempt_.told = false;
  end(Outcome::kCommitted, attempt_.began_at);
}

void ClientRecorder::lose(std::span<const std::uint32_t> published) {
  if (!active_) return;
  attempt_.told = false;
  end(holds(published) ? Outcome::kCommitted : Outcome::kAborted, attempt_.began_at);
}

void ClientRecorder::end(Outcome outcome, Nanoseconds now) {
  active_ = false;
  attempt_.outcome = outcome;
  attempt_.ended = moments_->next();
  attempt_.ended_at = now;
  attempt_.first_access = static_cast<std::uint32_t>(history_.all_accesses.size());
  attempt_.accesses = static_cast<std::uint32_t>(accesses_.size());
  attempt_.first_scan = static_cast<std::uint32_t>(history_.all_scans.size());
  attempt_.scans = static_cast<std::uint32_t>(scans_.size());
  const auto first_key = static_cast<std::uint32_t>(history_.all_keys.size());
  for (ClientScan& scan : scans_) scan.first_key += first_key;
  add_snapshot();
  history_.attempts.push_back(attempt_);
  history_.all_accesses.insert(history_.all_accesses.end(), accesses_.begin(), accesses_.end());
  history_.all_scans.insert(history_.all_scans.end(), scans_.begin(), scans_.end());
  history_.all_keys.insert(history_.all_keys.end(), keys_.begin(), keys_.end());
}

void ClientRecorder::add_snapshot() {
  attempt_.snapshot = 0;
  if (counts_.empty()) return;
  snapshot_.first_count = static_cast<std::uint32_t>(history_.all_counts.size());
  snapshot_.counts = static_cast<std::uint32_t>(counts_.size());
  history_.all_snapshots.push_back(snapshot_);
  history_.all_counts.insert(history_.all_counts.end(), counts_.begin(), counts_.end());
  attempt_.snapshot = static_cast<std::uint32_t>(history_.all_snapshots.size());
}

}  // namespace verbena::txn
