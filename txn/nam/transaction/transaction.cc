// The order of what an attempt does.
#include "txn/nam/transaction/transaction.h"

#include <utility>

#include "txn/nam/durability/journal.h"
#include "txn/nam/oracle/own_slot.h"
#include "txn/nam/oracle/snapshot_source.h"
#include "txn/nam/transaction/waiting_text.h"

namespace verbena::txn::nam {

NamTransaction::NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                               const TransactionLimits& limits, const NodeOptions& options,
                               const LatestVector* latest, std::unique_ptr<Timestamps> timestamps,
                               const JournalLayout* journals, rdma::Region* own_records,
                               Extents* extents, CatalogCache* catalog, ToldVectors& told,
                               WorkerMetrics& metrics)
    : Transaction(worker),
      attempt_(worker, fiber, layout, options, latest, own_records, metrics, status_),
      timestamps_(std::move(timestamps)),
      overflow_(attempt_, accesses_),
      scans_(attempt_, limits, overflow_, told),
      accesses_(attempt_, items_, limits),
      journal_(attempt_, accesses_, journals, limits),
      look_up_(attempt_, accesses_, catalog),
      search_(attempt_, accesses_, look_up_, overflow_),
      fetch_(attempt_, accesses_, look_up_, search_, overflow_),
      draws_(attempt_, accesses_),
      claims_(attempt_, accesses_, extents),
      locks_(attempt_, accesses_, claims_),
      places_(attempt_, accesses_),
      installation_(attempt_, accesses_, places_) {}

std::size_t NamTransaction::scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                          const NodeOptions& options) {
  return SnapshotSource::scratch_bytes(layout, options) + RangeScan::scratch_bytes(layout, limits) +
         AccessSet::scratch_bytes(layout, limits) + KeyLookUp::scratch_bytes(layout) +
         (options.journals > 0
              ? Journal::scratch_bytes(layout, limits, !options.checkpoints.empty())
              : 0) +
         (options.restore.empty() ? 0 : OwnSlot::scratch_bytes());
}

void NamTransaction::begin_attempt(Kind kind) {
  start_attempt(kind);
  attempt_.begin();
  accesses_.clear();
  look_up_.begin();
}

Transaction::Handle NamTransaction::note(const RecordName& name, Intent intent) {
  return accesses_.find_or_add(name, intent);
}

void NamTransaction::need_snapshot() {
  SnapshotInUse& snapshot = attempt_.snapshot();
  if (snapshot.taken()) return;
  const Nanoseconds began = worker_.now();
  snapshot.take(last_commit_);
  attempt_.times().snapshot = worker_.now() - began;
  take_snapshot({.counts = snapshot.counts(),
                 .fetched_at = snapshot.began_at(),
                 .usable = snapshot.usable_for()});
}

bool NamTransaction::fetch_noted() {
  if (doomed()) return false;
  need_snapshot();
  return fetch_.fetch();
}

bool NamTransaction::scan_range(const KeyRange& range, std::uint32_t limit,
                                std::vector<Key>& keys) {
  keys.clear();
  if (doomed()) return false;
  scans_.check_limit(limit);
  need_snapshot();
  return scans_.scan(range, limit, keys);
}

std::uint64_t NamTransaction::draw_number(const RecordName& name) { return draws_.draw(name); }

bool NamTransaction::lock_all() {
  draws_.check_written();
  const bool held = locks_.take_all();
  if (held) take_place();
  // Entries that were given up are not another key's before.
  const bool all = held && attempt_.check_age() && places_.make_room();
  if (!all) locks_.give_back();
  if (all) claims_.set_back_erased();
  return all;
}

// Who has a timestamp and does not commit says so, also to checks.
bool NamTransaction::give_up(const std::optional<Stamp>& stamp) {
  if (!stamp) return end(false);
  attempt_.reach("nam: timestamp given up");
  take_place();
  take_stamp(*stamp);
  timestamps_->give_up(*stamp);
  return end(false);
}

bool NamTransaction::commit_attempt() {
  const bool stamps =
      any_written() || (attempt_.options().stamp_empty && kind() == Kind::kReadWrite);
  if (doomed() || !stamps) return end(!doomed());
  need_snapshot();
  CommitTimes times{.read = worker_.now()};
  const std::optional<Stamp> early = timestamps_->take_before_locks();
  times.stamped = worker_.now();
  attempt_.reach("nam: about to lock");
  if (any_written() && !lock_all()) return give_up(early);
  attempt_.reach("nam: all locks held");
  times.held = worker_.now();
  last_commit_ = timestamps_->take();
  take_place();
  take_stamp(last_commit_);
  if (journal_.kept()) journal_.write(last_commit_);
  times.logged = worker_.now();
  if (any_written()) installation_.install(last_commit_);
  attempt_.reach("nam: new versions installed");
  times.installed = worker_.now();
  timestamps_->publish(last_commit_);
  attempt_.reach("nam: commit published");
  record_phases(times);
  return end(true);
}

void NamTransaction::record_phases(const CommitTimes& times) {
  const Nanoseconds published = worker_.now();
  WorkerMetrics& metrics = attempt_.metrics();
  if (!metrics.measured(published)) return;
  const Attempt::Times& took = attempt_.times();
  metrics.record(Phase::kTimestamp, took.snapshot + (times.stamped - times.read));
  const Nanoseconds index = took.lookup + took.claim;
  if (index > 0 * kSecond) metrics.record(Phase::kIndex, index);
  metrics.record(Phase::kRead, times.read - attempt_.began_at() - took.snapshot - took.lookup);
  metrics.record(Phase::kLock, times.held - times.stamped - took.claim);
  if (journal_.kept()) metrics.record(Phase::kLog, times.logged - times.held);
  metrics.record(Phase::kInstall, times.installed - times.logged);
  metrics.record(Phase::kPublish, published - times.installed);
}

// What was read is in a snapshot, so it was a state.
bool NamTransaction::roll_back_attempt() {
  const bool stands = !doomed();
  if (stands) doom(Abort::kRolledBack);
  end(false);
  return stands;
}

bool NamTransaction::end(bool committed) {
  const Nanoseconds decided = worker_.now();
  WorkerMetrics& metrics = attempt_.metrics();
  if (metrics.measured(decided)) {
    if (committed) {
      ++metrics.metrics().committed;
    } else {
      metrics.metrics().count(*cause());
    }
  }
  end_attempt(decided);
  const bool over = committed || cause() == Abort::kRolledBack;
  if (over) places_.transaction_over();
  attempt_.snapshot().attempt_ended(over, decided);
  return committed;
}

std::string NamTransaction::waits_for() const {
  const WaitingText text(attempt_, accesses_, scans_, places_);
  return active() ? text.of_attempt() : text.of_next(cause());
}

}  // namespace verbena::txn::nam
