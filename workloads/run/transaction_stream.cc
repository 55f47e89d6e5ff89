// Transactions one after another, and what is noted of each.
#include "workloads/run/transaction_stream.h"

#include <algorithm>
#include <exception>
#include <string>

#include "rdma/base/backoff.h"
#include "workloads/run/stuck.h"

namespace verbena::workloads {
namespace {

/// Later than any run's end, and early enough to be added to.
constexpr Nanoseconds kFar = kNever / 2;

/// For how long a stream sleeps without looking whether it has to stop.
constexpr Nanoseconds kPatience = 10 * kMillisecond;

}  // namespace

TransactionStream::TransactionStream(const StreamOptions& options, const Workload& workload,
                                     txn::Participant& participant, rdma::Worker& worker,
                                     WorkerRun& shared, const txn::Home& home, std::uint16_t fiber)
    : options_(options),
      participant_(participant),
      worker_(worker),
      shared_(shared),
      fiber_(fiber),
      random_(options.seed, worker_.node(), worker_.id(), fiber),
      transaction_(participant.transaction(worker.id(), fiber)),
      client_(workload.make_client({.home = home.partition, .worker = home.client, .fiber = fiber},
                                   Random(random_.next()))) {
  if (options_.check == nullptr) return;
  transaction_->record_to(&options_.check->add_client(
      {.node = worker_.node(), .worker = worker_.id(), .fiber = fiber_}));
}

// An error that ends a stream takes its transaction with it.
void TransactionStream::run() {
  try {
    run_until_over();
  } catch (const std::exception&) {
    Tried& tried = shared_.tried[fiber_];
    tried.waits_for = transaction_->waits_for();
    tried.transaction = nullptr;
    throw;
  }
}

void TransactionStream::run_until_over() {
  if (shared_.start < 0) begin();
  began_ = free_since_ = worker_.now();
  std::uint64_t done = 0;
  while (worker_.now() < shared_.until &&
         (options_.max_transactions == 0 || done < options_.max_transactions)) {
    observe_nics();
    run_one();
    worker_.core().note(rdma::Notice::kFree, 0);
    ++done;
    observe();
  }
  observe_nics();
  end_life();
  if (shared_.ledger.streams_ended == shared_.begun.size()) leave_backlog();
  shared_.ended = std::max(shared_.ended, worker_.now());
  shared_.committed_change += client_->committed_change();
  participant_.transactions_done(worker_.id());
}

void TransactionStream::begin() {
  shared_.start = worker_.now();
  if (options_.per_worker.per_second > 0) {
    shared_.arrivals.emplace(shared_.start, options_.per_worker.per_second,
                             options_.per_worker.poisson, Random(random_.next()));
  }
  shared_.course = options_.window.course_series(shared_.start);
  shared_.measure(options_.window);
  participant_.measure(worker_.id(), shared_.from, shared_.until);
}

// Counts of a life only what lies in the window.
void TransactionStream::end_life() {
  const Nanoseconds now = worker_.now();
  Ledger& ledger = shared_.ledger;
  ledger.lived += overlap(began_, now, shared_.from, shared_.until);
  ledger.between += overlap(free_since_, now, shared_.from, shared_.until);
  ledger.returned_late += returned_ >= shared_.until ? 1 : 0;
  ledger.decided_late += returned_ >= 0_ns && free_since_ >= shared_.until ? 1 : 0;
  ++ledger.streams_ended;
}

void TransactionStream::observe_nics() {
  if (shared_.nics == nullptr) return;
  shared_.nics->observe(worker_.now(), shared_.from, shared_.until);
}

void TransactionStream::observe() {
  observe_nics();
  const Nanoseconds now = worker_.now() - shared_.start;
  if (options_.position_ns != nullptr) {
    options_.position_ns->store(now.count(), std::memory_order_relaxed);
  }
  if (options_.foresight != nullptr) options_.foresight->pass(now);
  is_stopped();
}

// Told to stop, the worker's window ends now.
bool TransactionStream::is_stopped() {
  if (options_.stop == nullptr || !options_.stop->load(std::memory_order_relaxed)) return false;
  if (worker_.now() < shared_.until) {
    shared_.until = worker_.now();
    shared_.stopped = true;
    participant_.measure(worker_.id(), shared_.from, shared_.until);
  }
  return true;
}

// One transaction, tried again until it is committed, rolled back, or given up.
void TransactionStream::run_one() {
  const Nanoseconds start = next_start();
  if (start >= shared_.until) return;
  shared_.ledger.between += overlap(free_since_, start, shared_.from, shared_.until);
  shared_.begun[fiber_] = start;
  worker_.core().note(rdma::Notice::kBegun, static_cast<std::uint64_t>(start.count()));
  const std::uint32_t kind = client_->next();
  Tried& tried = shared_.tried[fiber_];
  tried.transaction = transaction_.get();
  tried.kind = kind;
  tried.aborts.assign(options_.abort_causes.size(), 0);
  worker_.give_way();
  worker_.core().spend(rdma::Work::kTransactionInput);
  Backoff backoff(shared_.usual_time);
  const Nanoseconds first_attempt = worker_.now();
  Nanoseconds attempt_start = first_attempt;
  for (;;) {
    attempt_start = worker_.now();
    const Attempt attempt = client_->execute(*transaction_);
    if (attempt == Attempt::kCommitted) break;
    shared_.course.abort(transaction_->decided_at());
    if (transaction_->decided_at() < shared_.until) {
      shared_.series.abort(transaction_->decided_at());
    }
    if (attempt == Attempt::kRolledBack) return end_without_effect(start);
    if (transaction_->gives_up()) {
      if (shared_.given_up++ == 0) shared_.given_up_for = transaction_->waits_for();
      return end_without_effect(start);
    }
    ++tried.aborts[static_cast<std::size_t>(transaction_->cause().value())];
    check_patience(first_attempt);
    wait(backoff.next(random_, worker_.now() - attempt_start), first_attempt);
    if (is_stopped()) return leave(start);
  }
  shared_.begun[fiber_] = kNever;
  ++shared_.committed_total;
  const Nanoseconds ended = ended_at();
  shared_.usual_time += (ended - attempt_start - shared_.usual_time) / 8;
  shared_.course.commit(ended, ended - start);
  note_returned(start, ended);
  if (ended < shared_.from || ended >= shared_.until) return;
  shared_.retrying += attempt_start - first_attempt;
  note_committed(start, ended, kind);
}

void TransactionStream::end_without_effect(Nanoseconds start) {
  shared_.begun[fiber_] = kNever;
  const Nanoseconds decided = transaction_->decided_at();
  if (decided >= shared_.from && decided < shared_.until) {
    ++shared_.rolled_back;
    shared_.rolling_back += decided - start;
    shared_.ledger.rolled_back_before += std::max(shared_.from - start, 0_ns);
  }
  note_returned(start, decided);
}

// The time at which a committed transaction's latency ends.
Nanoseconds TransactionStream::ended_at() const {
  return options_.latency_until_return ? worker_.now() : transaction_->decided_at();
}

// The transaction that began at `start` is not tried again, since nobody knows whether it would
// ever commit: it stays in flight. What it consists of and has committed (a delivery's districts)
// stands.
void TransactionStream::leave(Nanoseconds start) {
  shared_.stopped = true;
  shared_.begun[fiber_] = kNever;
  note_returned(start, worker_.now());
}

// Not beyond the end of patience, which comes then.
void TransactionStream::wait(Nanoseconds time, Nanoseconds first_attempt) {
  if (options_.patience > 0) {
    time = std::min(time, first_attempt + options_.patience - worker_.now());
  }
  transaction_->wait(std::max(time, 1_ns));
}

void TransactionStream::check_patience(Nanoseconds first_attempt) const {
  const Nanoseconds tried = worker_.now() - first_attempt;
  if (options_.patience == 0 || tried < options_.patience) return;
  const auto cause = static_cast<std::size_t>(transaction_->cause().value());
  const std::string in_the_way = transaction_->waits_for();
  throw Stuck("node " + std::to_string(worker_.node()) + ", worker " +
              std::to_string(worker_.id()) + ", coroutine " + std::to_string(fiber_) +
              ": a transaction has been tried for " + std::to_string(tried / kMicrosecond) +
              " us and its last attempt was aborted by " + options_.abort_causes[cause] +
              (in_the_way.empty() ? "" : "; in its way is " + in_the_way));
}

// Waits until the next transaction is due; returns when it begins, or should have: it is that late
// then.
Nanoseconds TransactionStream::next_start() {
  if (!shared_.arrivals) return worker_.now();
  const Nanoseconds due = shared_.arrivals->take();
  while (due > worker_.now()) {
    if (worker_.now() >= shared_.until) return due;
    worker_.sleep_until(std::min(due, next_event()));
    observe();
  }
  return due;
}

// Beyond it the end may come nearer, the measurement begin, or somebody ask for the end.
Nanoseconds TransactionStream::next_event() const {
  const Nanoseconds now = worker_.now();
  const Nanoseconds look = shared_.start + std::min(options_.window.next_look(), kFar);
  const Nanoseconds next = std::min({look, shared_.until, now + kPatience});
  const bool begins = now < shared_.from && shared_.from < next;
  return std::max(now + kMicrosecond, begins ? shared_.from : next);
}

// Counts the transactions that were due before the end, of the window or of the worker, and that no
// stream took. There may be millions, so it gives way to those who ask this worker.
void TransactionStream::leave_backlog() {
  if (!shared_.arrivals) return;
  const Nanoseconds end = std::min(shared_.until, worker_.now());
  while (shared_.arrivals->next() < end) {
    const Nanoseconds due = shared_.arrivals->take();
    shared_.backlog.record(end - due);
    note_entered(due);
    worker_.give_way();
  }
}

void TransactionStream::note_committed(Nanoseconds start, Nanoseconds ended, std::uint32_t kind) {
  ++shared_.committed_by_kind[kind];
  shared_.latency_by_kind[kind] += ended - start;
  const auto latency_ns = static_cast<double>((ended - start).count());
  shared_.squares_by_kind[kind] += latency_ns * latency_ns;
  shared_.series.commit(ended, ended - start);
  shared_.latencies.record(ended, ended - start);
  worker_.core().note(rdma::Notice::kMeasured, static_cast<std::uint64_t>(ended.count()));
  participant_.metrics(worker_.id()).latency.record(ended - start);
  note_entered(start);
}

// It began before the measured window and is seen in it.
void TransactionStream::note_entered(Nanoseconds start) {
  if (start < shared_.from) shared_.entered.push_back(shared_.from - start);
}

// A transaction that began before the window's end has ended now: it was decided, perhaps before,
// and its fiber goes on.
void TransactionStream::note_returned(Nanoseconds start, Nanoseconds decided) {
  free_since_ = decided;
  returned_ = worker_.now();
  const Nanoseconds over = returned_ - shared_.until;
  if (over < 0) return;
  if (decided >= shared_.until) {
    shared_.undecided.push_back(shared_.until - start);
    note_entered(start);
  }
  shared_.in_flight.push_back(shared_.until - start);
  shared_.in_flight_until = std::max(shared_.in_flight_until, over);
}

}  // namespace verbena::workloads
