// Sums that have to be equal.
#include "workloads/run/bookkeeping.h"

#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/run/cluster_run.h"
#include "workloads/run/worker_run.h"

namespace verbena::workloads {
namespace {

Nanoseconds sum_of(const std::vector<Nanoseconds>& times) {
  return std::accumulate(times.begin(), times.end(), 0_ns);
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

IntervalCounts sum_of(const IntervalSeries& series) {
  IntervalCounts sum;
  for (const IntervalCounts& counts : series.counts()) sum.merge(counts);
  return sum;
}

class Comparison {
 public:
  void equal(std::string_view what, std::int64_t one, std::string_view other_what,
             std::int64_t other) {
    if (one == other) return;
    errors_.push_back("measurement: " + std::string(what) + " " + std::to_string(one) + ", but " +
                      std::string(other_what) + " " + std::to_string(other));
  }
  std::vector<std::string> take() { return std::move(errors_); }

 private:
  std::vector<std::string> errors_;
};

// Sums up the parts of transactions that lie in the window.
Nanoseconds time_of_transactions(const WorkerRun& worker) {
  return sum_of(worker.latency_by_kind) + worker.rolling_back + sum_of(worker.undecided) -
         sum_of(worker.entered) - worker.ledger.rolled_back_before;
}

}  // namespace

std::vector<std::string> what_does_not_add_up(const WorkerRun& worker,
                                              const txn::Metrics& metrics) {
  const Ledger& ledger = worker.ledger;
  Comparison sums;
  if (ledger.streams_ended < worker.begun.size() || worker.begun.empty()) return {};
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const IntervalCounts intervals = sum_of(worker.series);
  const std::uint64_t commits = sum_of(worker.committed_by_kind);
  const Nanoseconds latencies = sum_of(worker.latency_by_kind);
  sums.equal("commits of kinds are", number(commits), "those of intervals", intervals.committed);
  sums.equal("commits of kinds are", number(commits), "latencies", number(metrics.latency.count()));
  sums.equal("latencies of kinds are [ns]", latencies.count(), "those of intervals",
             number(intervals.latency_ns));
  sums.equal("latencies of kinds are [ns]", latencies.count(), "those of the distribution",
             number(metrics.latency.sum()));
  sums.equal("causes of aborts are", number(sum_of(metrics.aborted)), "aborts of intervals",
             intervals.aborted);
  // Told to stop before the window, a run has none, and streams that were busy have negative times.
  if (!worker.arrivals && worker.until > worker.from) {
    sums.equal("streams lived for [ns]", ledger.lived.count(), "transactions and times between are",
               (time_of_transactions(worker) + ledger.between).count());
  }
  // Told to stop, the window ends when streams may have returned already.
  if (worker.stopped) return sums.take();
  sums.equal("streams busy at the end are", ledger.returned_late, "in flight",
             number(worker.in_flight.size()));
  if (!worker.arrivals) {
    sums.equal("streams at undecided transactions are", ledger.decided_late, "undecided",
               number(worker.undecided.size()));
  }
  return sums.take();
}

std::vector<std::string> what_does_not_add_up(const RunResult& result,
                                              std::span<const WorkerRun* const> workers,
                                              std::optional<Nanoseconds> warm_up) {
  Comparison sums;
  std::uint64_t commits = 0;
  Nanoseconds latencies = 0;
  std::uint64_t in_flight = result.backlog;
  for (const WorkerRun* worker : workers) {
    commits += sum_of(worker->committed_by_kind);
    latencies += sum_of(worker->latency_by_kind);
    in_flight += worker->in_flight.size();
  }
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  sums.equal("commits are", number(result.metrics.committed), "those of workers", number(commits));
  sums.equal("latencies are [ns]", number(result.metrics.latency.sum()), "those of workers",
             latencies.count());
  sums.equal("in flight are", number(result.in_flight.count()), "those of workers",
             number(in_flight));
  if (warm_up && result.duration > 0) {
    sums.equal("it measured from [ns]", result.warm_up.count(), "was to from", warm_up->count());
  }
  return sums.take();
}

}  // namespace verbena::workloads
