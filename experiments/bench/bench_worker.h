// State that the fibers of one worker of the bench share.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "experiments/bench/bench_options.h"
#include "experiments/bench/bench_peers.h"
#include "rdma/base/random.h"
#include "rdma/worker.h"
#include "workloads/measure/latency_samples.h"
#include "workloads/run/resources/nic_interval.h"

namespace verbena::experiments {

/// State of one worker; no other thread may use it. Fibers run a closed_loop(), or loop while
/// !over() and call observe() between operations and record() after each.
class BenchWorker {
 public:
  /// State of one of `workers` workers on each of `nodes` nodes. Observes `nics` unless it is null.
  /// Keeps latencies of recorded operations if `latencies` is set.
  BenchWorker(rdma::Worker& rdma_worker, const BenchOptions& bench_options, std::uint32_t nodes,
              std::uint32_t workers, workloads::NicInterval* nics, bool latencies)
      : worker(rdma_worker),
        options(bench_options),
        peers(nodes, bench_options.servers, rdma_worker.node()),
        random(bench_options.seed, rdma_worker.node(), rdma_worker.id(), 0),
        nics_(nics),
        latencies_(latencies),
        samples_(workloads::LatencySamples::of_one_of(nodes * workers)) {}

  /// Runs the worker. The measured time begins when warm-up from now on has passed. Stores the
  /// current time in `position` unless it is null.
  void run(rdma::Core& core, std::atomic<std::int64_t>* position);

  /// True when the measured time has passed.
  bool over() const { return worker.now() >= end_; }

  /// Notes the beginning and the end of the measured time once they have passed. Call it between
  /// operations; both ends are exact to within one operation.
  void observe();

  /// Calls `round`, which does `operations` operations, until the measured time has passed. Each
  /// round begins at the moment when the one before it ended.
  template <typename Round>
  void closed_loop(std::uint32_t operations, Round&& round) {
    for (Nanoseconds started = worker.now(); started < end_;) {
      observe();
      round();
      const Nanoseconds ended = worker.now();
      record(started, ended, operations);
      started = ended;
    }
    observe();
  }

  /// Records that `operations` operations, begun at `started`, ended at `ended`.
  void record(Nanoseconds started, Nanoseconds ended, std::uint32_t operations);

  /// Adds this worker's findings to `result`. Call it after run().
  void add_to(BenchResult& result) const;

  NodeId random_peer() { return peers.pick(random.next()); }

  /// Picks a random place of `bytes` bytes in the memory of a random peer, aligned to `alignment`.
  RemoteAddress random_place(std::uint64_t bytes, std::uint64_t alignment);

  rdma::Worker& worker;
  const BenchOptions& options;
  const BenchPeers peers;
  Random random;

 private:
  workloads::NicInterval* nics_;
  bool latencies_;
  workloads::LatencySamples samples_;  // of the measured time
  std::atomic<std::int64_t>* position_ = nullptr;
  Nanoseconds start_ = 0;
  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = 0;
  Nanoseconds stopped_ = 0;
  BenchResult result_;
  std::optional<rdma::WorkerCounters> at_begin_;  // of the measured time
  std::optional<rdma::WorkerCounters> at_end_;
};

}  // namespace verbena::experiments
