// The order of what an attempt does.
#include "txn/nam/transaction/transaction.h"

#include <utility>

#include "txn/nam/durability/journal.h"
#include "txn/nam/oracle/own_slot.h"
#include "txn/nam/oracle/snapshot_source.h"
#include "txn/nam/transaction/waiting_text.h"

namespace verbena::txn::nam {
namespace {

// An older snapshot may hold what memory servers have taken out of indexes or overflow; where they
// take out nothing, none gets too old.
AgeLimit::Setting longest_age(const Layout& layout, const NodeOptions& options) {
  const bool ages = layout.collects() || layout.overflows();
  return {.name = "nam.longest_transaction",
          .value = ages ? options.longest_transaction : kNever,
          .by_default = NodeOptions{}.longest_transaction};
}

}  // namespace

NamTransaction::NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                               const TransactionLimits& limits, const NodeOptions& options,
                               const LatestVector* latest, std::unique_ptr<Timestamps> timestamps,
                               const JournalLayout* journals, rdma::Region* own_records,
                               Extents* extents, CatalogCache* catalog, ToldVectors& told,
                               WorkerMetrics& metrics)
    : SnapshotTransaction(worker, longest_age(layout, options), Abort::kRolledBack),
      attempt_(worker, fiber, layout, options, latest, own_records, metrics, status_,
               snapshot_age()),
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

void NamTransaction::forget_attempt() {
  attempt_.begin();
  accesses_.clear();
  look_up_.begin();
}

Transaction::Handle NamTransaction::note(const RecordName& name, Intent intent) {
  return accesses_.find_or_add(name, intent);
}

ReadSnapshot NamTransaction::ask_for_snapshot(const Stamp& own) {
  const Nanoseconds began_at = attempt_.snapshot().take(own);
  return {.counts = attempt_.snapshot().counts(), .fetched_at = began_at};
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

// Gives up a timestamp that is not committed, and says so, also to checks.
bool NamTransaction::give_up(const std::optional<Stamp>& stamp) {
  if (!stamp) return end();
  attempt_.reach("nam: timestamp given up");
  take_place();
  take_stamp(*stamp);
  timestamps_->give_up(*stamp);
  return end();
}

bool NamTransaction::commit_attempt() {
  const bool stamps =
      any_written() || (attempt_.options().stamp_empty && kind() == Kind::kReadWrite);
  if (doomed() || !stamps) return end();
  need_snapshot();
  CommitTimes times{.read = worker_.now()};
  const std::optional<Stamp> early = timestamps_->take_before_locks();
  times.stamped = worker_.now();
  attempt_.reach("nam: about to lock");
  if (any_written() && !lock_all()) return give_up(early);
  attempt_.reach("nam: all locks held");
  times.held = worker_.now();
  const Stamp stamp = timestamps_->take();
  set_last_commit(stamp);
  take_place();
  take_stamp(stamp);
  if (journal_.kept()) journal_.write(stamp);
  times.logged = worker_.now();
  if (any_written()) installation_.install(stamp);
  attempt_.reach("nam: new versions installed");
  times.installed = worker_.now();
  timestamps_->publish(stamp);
  attempt_.reach("nam: commit published");
  record_phases(times);
  return end();
}

void NamTransaction::record_phases(const CommitTimes& times) {
  const Nanoseconds published = worker_.now();
  WorkerMetrics& metrics = attempt_.metrics();
  if (!metrics.measured(published)) return;
  const Attempt::Times& took = attempt_.times();
  metrics.record(Phase::kTimestamp, snapshot_time() + (times.stamped - times.read));
  const Nanoseconds index = took.lookup + took.claim;
  if (index > 0 * kSecond) metrics.record(Phase::kIndex, index);
  metrics.record(Phase::kRead, times.read - began_at() - snapshot_time() - took.lookup);
  metrics.record(Phase::kLock, times.held - times.stamped - took.claim);
  if (journal_.kept()) metrics.record(Phase::kLog, times.logged - times.held);
  metrics.record(Phase::kInstall, times.installed - times.logged);
  metrics.record(Phase::kPublish, published - times.installed);
}

void NamTransaction::count_attempt(Nanoseconds decided) {
  attempt_.metrics().decide(decided, cause());
}

std::string NamTransaction::waits_for() const {
  const WaitingText text(attempt_, accesses_, scans_, places_);
  return active() ? text.of_attempt() : text.of_next(cause());
}

}  // namespace verbena::txn::nam
