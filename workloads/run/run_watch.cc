// Finding the window of a run, and following what happens in it.
#include "workloads/run/run_watch.h"

#include <atomic>

#include "rdma/worker.h"
#include "txn/metrics.h"
#include "workloads/run/series_so_far.h"

namespace verbena::workloads {
namespace {

/// Time after which it is worth looking whether many attempts have ended.
constexpr Nanoseconds kFollowEach = 10 * kMicrosecond;

}  // namespace

std::uint64_t touched_bytes(rdma::Fabric& fabric) {
  const rdma::PageArena* arena = fabric.page_arena();
  return arena == nullptr ? 0 : arena->bytes_in_use();
}

void RunWatch::look(Nanoseconds now) {
  if (run_.check != nullptr && now >= follow_at_) {
    run_.check->follow(run_.fabric.moment_at(now));
    follow_at_ = now + kFollowEach;
  }
  const WorkerRun& observer = run_.observer;
  if (observer.start < 0) return;
  run_.nics.observe(now, observer.from, observer.until);
  const Nanoseconds passed = now - observer.start;
  const RunOptions& options = run_.options;
  if (options.position_ns != nullptr) {
    options.position_ns->store(passed.count(), std::memory_order_relaxed);
  }
  if (run_.foresight != nullptr) run_.foresight->pass(passed);
  if (passed < run_.window.next_look() || passed >= run_.window.until()) return;
  const bool told_to_stop =
      options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
  if (!told_to_stop) find_window(passed);
}

void RunWatch::find_window(Nanoseconds passed) {
  RunWindow& window = run_.window;
  const SeriesSoFar series = series_so_far(run_.nodes, passed);
  const Nanoseconds began = window.from();
  const bool changed = window.look(passed, series.course, series.measured, series.oldest,
                                   touched_bytes(run_.fabric));
  if (!changed) return;
  if (window.from() != began) run_.nics.begin_again();
  for (auto& node : run_.nodes) {
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      const auto id = static_cast<WorkerId>(w);
      WorkerRun& worker = node->workers[w];
      if (worker.start < 0) continue;
      if (window.from() != began) {
        node->participant->metrics(id) = txn::Metrics(run_.system);
        node->endpoint.worker(id).core().note(rdma::Notice::kForgotten, 0);
      }
      worker.measure(window);
      node->participant->measure(id, worker.from, worker.until);
    }
  }
}

}  // namespace verbena::workloads
