// The course of a transaction through its phases.
#include "txn/occ/transaction.h"

#include <algorithm>
#include <cassert>

#include "txn/occ/attempt/coordinator.h"

namespace verbena::txn::occ {

Transaction::Transaction(Coordinator& coordinator, std::uint16_t fiber)
    : txn::Transaction(coordinator.worker()),
      attempt_(coordinator, fiber, status_, items_),
      look_up_(attempt_),
      execution_(attempt_, look_up_),
      check_calls_(attempt_),
      sender_(attempt_),
      locks_(attempt_, check_calls_, sender_),
      read_validation_(attempt_, check_calls_),
      absent_keys_(attempt_, look_up_),
      scans_(attempt_),
      log_writer_(attempt_, coordinator.log_space()),
      write_back_(attempt_, locks_, sender_),
      recorder_(attempt_) {}

Transaction::~Transaction() = default;

void Transaction::begin_attempt(Kind kind) {
  start_attempt(kind);
  worker_.core().spend(rdma::Work::kTransactionSetup);
  step_ = Step::kExecutes;
  attempt_.begin(kind);
  execution_.begin();
  scans_.begin();
  if (attempt_.sequence() == 1) {
    const auto accesses = attempt_.accesses().expected_memory();
    // First the part that is read each time that a request of the execution phase completes.
    const auto* first = reinterpret_cast<const std::byte*>(this);
    const auto* last = reinterpret_cast<const std::byte*>(&check_calls_);
    worker_.expect(first, static_cast<std::size_t>(last - first));
    worker_.expect(accesses.data(), accesses.size());
  }
  recorder_.begin();
}

Transaction::Handle Transaction::note(const RecordName& name, Intent intent) {
  assert(active());
  return attempt_.accesses().find_or_add(name, intent);
}

bool Transaction::prefetches() const {
  return attempt_.read_plan().outstanding || !attempt_.node().stores();
}

// Clients of servers apart are at home where nothing is local: what is to be used has to be
// fetched.
void Transaction::prefetch_noted() {
  assert(active());
  if (attempt_.node().stores()) {
    execution_.prefetch();
  } else {
    execution_.fetch();
  }
}

bool Transaction::fetch_noted() {
  assert(active());
  execution_.fetch();
  return !doomed();
}

bool Transaction::scan_range(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) {
  assert(active());
  execution_.await_outstanding();
  keys.clear();
  if (doomed()) return false;
  scans_.scan(range, limit, keys);
  return true;
}

bool Transaction::commit_attempt() {
  assert(active() && (doomed() || execution_.complete()));
  execution_.await_outstanding();
  PhaseTimes times{.executed = worker_.now(), .reading = execution_.remote_time()};
  if (!doomed()) validate();
  if (doomed()) return abort();
  times.validated = worker_.now();
  step_ = Step::kLogs;
  if (any_written()) log_writer_.write();
  times.logged = worker_.now();
  step_ = Step::kWritesBack;
  if (any_written()) {
    log_writer_.send_again();
    write_back_.write();
    log_writer_.await_applied();
  }
  locks_.release_all();  // of what was locked when it was read and then not written
  log_writer_.release();
  recorder_.record_phases(times, any_written());
  end(times.logged);
  return true;
}

// The write set is locked first; what is read and not written is seen again while it is.
void Transaction::validate() {
  const Plan& plan = attempt_.plan();
  if (any_written()) {
    step_ = Step::kLocks;
    locks_.acquire();
    if (doomed()) return;
    take_place();
    validate_reads(plan.validate);
  } else if (needs_validation()) {
    validate_reads(kind() == Kind::kReadOnly ? plan.read_validate : plan.validate);
  }
}

void Transaction::validate_reads(const PhasePlan& phase) {
  const Plan& plan = attempt_.plan();
  if (plan.skip_validation_for_test) return;
  step_ = Step::kValidates;
  read_validation_.validate(phase);
  if (plan.skip_absence_validation_for_test) return;
  absent_keys_.validate(phase);
  scans_.validate(phase);
}

bool Transaction::roll_back_attempt() {
  assert(active());
  execution_.await_outstanding();
  // An item that was to be written and is not locked is validated like one that was only read.
  for (Item& item : items_) item.written = false;
  if (!doomed() && needs_validation()) {
    validate_reads(attempt_.plan().validate);
    if (doomed()) attempt_.reach("occ: roll-back does not stand");
  }
  const bool stands = !doomed();
  if (stands) doom(Abort::kRolledBack);
  abort();
  return stands;
}

bool Transaction::abort() {
  assert(doomed());
  step_ = Step::kReleases;
  locks_.release_all();
  end(worker_.now());
  return false;
}

void Transaction::end(Nanoseconds decided_at) {
  assert(
      std::none_of(attempt_.accesses().begin(), attempt_.accesses().end(),
                   [](const Access& access) { return access.lock().held() || access.posted(); }));
  recorder_.record_outcome(cause(), decided_at);
  end_attempt(decided_at);
}

}  // namespace verbena::txn::occ
