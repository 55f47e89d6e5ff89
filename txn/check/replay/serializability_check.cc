// The replay: attempts in the order of their moments.
#include "txn/check/replay/serializability_check.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>

namespace verbena::txn {
namespace {

/// The most misfits that are looked at: at a time, and of one attempt.
constexpr std::size_t kMisfits = 16;
constexpr std::ptrdiff_t kMisfitsOfOne = 2;

/// Attempts before its turn at which the records of one are looked for in memory.
constexpr std::size_t kAhead = 8;

}  // namespace

bool SerializabilityCheck::can_check(Isolation isolation) {
  return isolation == Isolation::kStrictSerializability || isolation == Isolation::kSerializability;
}

SerializabilityCheck::SerializabilityCheck(const Schema& schema, Isolation isolation,
                                           std::size_t remembered)
    : most_remembered_(remembered),
      in_time_(isolation == Isolation::kStrictSerializability),
      initial_(schema),
      table_(initial_),
      scanned_(initial_) {
  if (!can_check(isolation)) {
    throw std::logic_error(std::string("histories are not checked for ") +
                           isolation_name(isolation));
  }
}

bool SerializabilityCheck::writes(const ClientHistory& history, const ClientAttempt& attempt) {
  if (attempt.outcome != Outcome::kCommitted) return false;
  return std::ranges::any_of(history.accesses(attempt), &ClientAccess::writes);
}

void SerializabilityCheck::add(ClientHistory history) {
  if (anomaly_ || history.attempts.empty()) return;
  blocks_.push_back(std::make_unique<Block>(Block{.history = std::move(history)}));
  Block& block = *blocks_.back();
  remembered_ += block.history.attempts.size();
  for (std::uint32_t i = 0; i < block.history.attempts.size(); ++i) {
    const ClientAttempt& attempt = block.history.attempts[i];
    if (attempt.outcome == Outcome::kAborted) continue;
    if (attempt.outcome == Outcome::kUnknown) {
      throw std::logic_error("an attempt without outcome cannot be replayed");
    }
    block.latest = std::max(block.latest, attempt.ended);
    const bool writer = writes(block.history, attempt);
    if (writer && attempt.placed == kBeforeAll) {
      throw std::logic_error("a committed attempt that wrote has no place in the order");
    }
    waiting_.push_back({.order = writer ? attempt.placed : attempt.ended,
                        .began = in_time_ ? attempt.began : kBeforeAll,
                        .block = &block,
                        .attempt = i});
    ++block.waiting;
  }
}

void SerializabilityCheck::replay(Moment now) {
  if (anomaly_) return;
  const auto later = std::partition(waiting_.begin(), waiting_.end(),
                                    [now](const Waiting& one) { return one.order < now; });
  Moment horizon = now;
  for (auto one = later; one != waiting_.end(); ++one) horizon = std::min(horizon, one->began);
  const std::span<Waiting> batch(waiting_.begin(), later);
  std::ranges::sort(batch, {}, &Waiting::order);
  const std::vector<Misread> misfits = replay_all(batch, horizon);
  if (!misfits.empty()) judge(misfits);
  for (const Waiting& one : batch) --one.block->waiting;
  replayed_ += batch.size();
  waiting_.erase(waiting_.begin(), later);
  forget(now);
}

// Returns the first that did not fit.
std::vector<Misread> SerializabilityCheck::replay_all(std::span<const Waiting> batch,
                                                      Moment horizon) {
  // The least moment of each attempt that it or one after it may ask about.
  std::vector<Moment> horizons(batch.size());
  for (std::size_t i = batch.size(); i-- > 0;) {
    horizon = std::min(horizon, batch[i].began);
    horizons[i] = horizon;
  }
  std::vector<Misread> misfits;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    prefetch(batch, i);
    const ClientHistory& history = batch[i].block->history;
    const ClientAttempt& attempt = history.attempts[batch[i].attempt];
    const bool writer = writes(history, attempt);
    misread_.clear();
    horizon_ = horizons[i];
    look_at_itself(history, attempt);
    if (writer) {
      look_for_misreads(history, attempt);
    } else {
      look_for_misreads(history, attempt, {.first = batch[i].began, .end = attempt.ended});
    }
    for (const RecordName& record : std::views::take(misread_, kMisfitsOfOne)) {
      if (misfits.size() == kMisfits) break;
      misfits.push_back({.history = &history, .attempt = &attempt, .record = record});
    }
    if (!writer) continue;
    const auto accesses = history.accesses(attempt);
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      if (accesses[a].writes) apply(accesses[a], records_[a], attempt.placed, horizons[i]);
    }
  }
  return misfits;
}

// Tables are large, and their records are looked at in no order.
void SerializabilityCheck::prefetch(std::span<const Waiting> batch, std::size_t next) const {
  const auto accesses_of = [&](std::size_t i) {
    const ClientHistory& history = batch[i].block->history;
    return history.accesses(history.attempts[batch[i].attempt]);
  };
  if (next + kAhead < batch.size()) {
    for (const ClientAccess& access : accesses_of(next + kAhead)) {
      table_.prefetch_place(access.record);
    }
  }
  if (next + kAhead / 2 < batch.size()) {
    for (const ClientAccess& access : accesses_of(next + kAhead / 2)) {
      table_.prefetch_record(access.record);
    }
  }
}

// Notes what an attempt that is replayed now read otherwise than it is now.
void SerializabilityCheck::look_for_misreads(const ClientHistory& history,
                                             const ClientAttempt& attempt) {
  records_.clear();
  for (const ClientAccess& access : history.accesses(attempt)) {
    records_.push_back(table_.find(access.record));
    if (fits(access, table_.newest(records_.back()).value)) continue;
    misread_.push_back(access.record);
  }
  for (const ClientScan& scan : history.scans(attempt)) {
    for (const RecordName& record : left_out(history, scan)) {
      if (newest(record).value != kAbsentValue) misread_.push_back(record);
    }
  }
}

// Looks for what is wrong whatever others did.
void SerializabilityCheck::look_at_itself(const ClientHistory& history,
                                          const ClientAttempt& attempt) {
  if (!anomaly_) anomaly_ = wrong_by_itself(history, attempt);
}

// Records that a scan left out, but for those that need no further look: absent, and so since
// before the oldest attempt began that is still to be replayed.
std::vector<RecordName> SerializabilityCheck::left_out(const ClientHistory& history,
                                                       const ClientScan& scan) {
  return scanned_.left_out(scan, history.keys(scan), [this](const RecordName& record) {
    const VersionTable::Version& version = newest(record);
    return version.value == kAbsentValue && version.since <= horizon_;
  });
}

void SerializabilityCheck::apply(const ClientAccess& access, VersionTable::Record record,
                                 Moment since, Moment horizon) {
  const bool was_absent = table_.newest(record).value == kAbsentValue;
  if (was_absent && access.written != kAbsentValue) scanned_.add(access.record);
  table_.write(record, access.written, since, horizon);
}

// Notes what an attempt read otherwise than it was at any moment of `time`; or, if there is no such
// record, what does not fit the rest.
void SerializabilityCheck::look_for_misreads(const ClientHistory& history,
                                             const ClientAttempt& attempt, MomentRange time) {
  MomentSet moments(time);
  std::optional<RecordName> last;
  const auto look_at = [&](const RecordName& record, ValueDigest value) {
    const VersionTable::Version& now = newest(record);
    if (now.since <= time.first && now.value == value) return;
    find_ranges(record, value, time.first);
    MomentSet alone(time);
    alone.keep(ranges_);
    if (alone.empty()) misread_.push_back(record);
    if (!moments.empty()) last = record;
    moments.keep(ranges_);
  };
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (access.fetched) look_at(access.record, access.read);
  }
  for (const ClientScan& scan : history.scans(attempt)) {
    for (const RecordName& record : left_out(history, scan)) {
      look_at(record, kAbsentValue);
    }
  }
  if (moments.empty() && misread_.empty()) misread_.push_back(*last);
}

const VersionTable::Version& SerializabilityCheck::newest(const RecordName& record) {
  return table_.newest(table_.find(record));
}

// Finds when the record had the value, from `first` on.
void SerializabilityCheck::find_ranges(const RecordName& record, ValueDigest value, Moment first) {
  ranges_.clear();
  const VersionTable::Version* version = &newest(record);
  Moment end = kAfterAll;
  for (;;) {
    if (version->value == value) ranges_.push_back({.first = version->since, .end = end});
    end = version->since;
    if (end <= first || version->older == VersionTable::kNone) break;
    version = &table_.version(version->older);
  }
}

void SerializabilityCheck::compare_final(std::span<const FinalValue> found) {
  for (const FinalValue& one : found) table_.prefetch_place(one.record);
  for (const FinalValue& one : found) table_.prefetch_record(one.record);
  for (const FinalValue& one : found) compare_final(one);
}

void SerializabilityCheck::compare_final(const FinalValue& found) {
  if (anomaly_) return;
  const ValueDigest expected = table_.value_of(found.record);
  if (found.value == expected) return;
  anomaly_ = final_anomaly({.histories = remembered(), .forgotten = forgotten_}, found.record,
                           expected, found.value);
}

std::vector<const ClientHistory*> SerializabilityCheck::remembered() const {
  std::vector<const ClientHistory*> histories;
  histories.reserve(blocks_.size());
  for (const auto& block : blocks_) histories.push_back(&block->history);
  return histories;
}

void SerializabilityCheck::visit_records(
    const std::function<void(const RecordName& record)>& visitor) const {
  for (VersionTable::Record record = 0; record < table_.size(); ++record) {
    visitor(table_.name(record));
  }
}

void SerializabilityCheck::judge(std::span<const Misread> misfits) {
  if (anomaly_) return;
  anomaly_ = find_anomaly({.histories = remembered(), .forgotten = forgotten_}, initial_, in_time_,
                          misfits);
  misfits_ = true;
}

void SerializabilityCheck::finish() {
  replay(kAfterAll);
  // Attempts that were added later may close a cycle.
  if (misfits_ && !anomaly_) judge({});
}

// Keeps attempts that ended while another was running that is still to come: they may explain that
// one.
void SerializabilityCheck::forget(Moment now) {
  if (!in_time_) return;
  while (!blocks_.empty() && !anomaly_) {
    const Block& oldest = *blocks_.front();
    const std::size_t attempts = oldest.history.attempts.size();
    if (oldest.waiting > 0 || oldest.latest > now || remembered_ - attempts < most_remembered_) {
      return;
    }
    remembered_ -= attempts;
    blocks_.pop_front();
    forgotten_ = true;
  }
}

}  // namespace verbena::txn
