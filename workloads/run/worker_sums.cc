// Adding a worker to what others have done.
#include "workloads/run/worker_sums.h"

#include <algorithm>
#include <cstddef>

namespace verbena::workloads {

void add_worker(const WorkerRun& worker, std::span<const std::string> kinds, RunResult& result) {
  result.committed_total += worker.committed_total;
  result.stopped |= worker.stopped;
  result.series.merge(worker.series);
  for (const Nanoseconds age : worker.in_flight) result.in_flight.record(age);
  result.in_flight.merge(worker.backlog);
  result.backlog += worker.backlog.count();
  result.given_up += worker.given_up;
  if (result.given_up_for.empty()) result.given_up_for = worker.given_up_for;
  result.rolled_back += worker.rolled_back;
  result.rolling_back += worker.rolling_back;
  result.retrying += worker.retrying;
  result.in_flight_until = std::max(result.in_flight_until, worker.in_flight_until);
  for (std::size_t kind = 0; kind < worker.committed_by_kind.size(); ++kind) {
    result.committed_by_kind[kinds[kind]] += worker.committed_by_kind[kind];
    result.latency_by_kind[kinds[kind]] += worker.latency_by_kind[kind];
    result.squares_by_kind[kinds[kind]] += worker.squares_by_kind[kind];
  }
}

Nanoseconds last_commit(const WorkerRun& worker) {
  const auto& counts = worker.series.counts();
  std::size_t intervals = counts.size();
  while (intervals > 0 && counts[intervals - 1].committed == 0) --intervals;
  return worker.series.width() * static_cast<std::int64_t>(intervals);
}

}  // namespace verbena::workloads
