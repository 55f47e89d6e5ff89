// One thread of the posting loops, and the resources that it may share with others.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/bench/bench_options.h"
#include "experiments/bench/bench_peers.h"
#include "rdma/base/random.h"
#include "rdma/one_sided/raw_connections.h"
#include "rdma/seam/core.h"
#include "rdma/worker.h"
#include "workloads/measure/latency_samples.h"
#include "workloads/run/resources/nic_interval.h"

namespace verbena::experiments {

class PostingThread;

/// Threads that share the queue pairs and completion queue of one rdma::Worker.
struct PostingGroup {
  rdma::Worker& resources;
  rdma::RawConnections connections;
  std::vector<PostingThread*> members;
};

/// Keeps a sliding window of signaled requests in flight or, with `rounds`, posts whole windows and
/// waits for each. Only its own thread may use its members, except for those that say otherwise.
class PostingThread {
 public:
  /// Creates the `number`-th thread of its node and adds it to `group`. `threads` is the number of
  /// threads of all nodes. Observes `nics` unless it is null.
  PostingThread(PostingGroup& group, WorkerId number, std::uint32_t threads,
                const BenchOptions& options, BenchPeers peers, workloads::NicInterval* nics);

  NodeId node() const { return group_.resources.node(); }
  WorkerId number() const { return number_; }

  /// Runs the loop. Stores the current time in `position` unless it is null. Throws VerbsError when
  /// a request fails.
  void run(rdma::Core& core, std::atomic<std::int64_t>* position);

  /// Adds the requests whose completions this thread polled, its own and those of others of its
  /// group, to `result`. Call it after run().
  void add_to(BenchResult& result) const;

 private:
  static constexpr std::size_t kChain = 32;
  static constexpr std::size_t kPoll = 16;

  std::uint32_t in_flight() const {
    return static_cast<std::uint32_t>(posted_ - returned_.load(std::memory_order_acquire));
  }
  void fill();
  void prepare(std::size_t index, NodeId peer);
  void post(std::size_t count, NodeId peer);
  bool collect();
  void complete(const ibv_wc& completion, Nanoseconds now);

  PostingGroup& group_;
  WorkerId number_;
  std::uint16_t index_;
  BenchOptions options_;
  BenchPeers peers_;
  workloads::NicInterval* nics_;
  Random random_;
  std::span<std::byte> buffer_;  // a slot for each request of the window
  std::uint64_t stride_;
  std::uint64_t places_;  // number of places in a peer's memory
  std::uint64_t alignment_;
  std::array<ibv_send_wr, kChain> requests_{};
  std::array<ibv_sge, kChain> elements_{};

  std::atomic<rdma::Core*> core_{nullptr};  // others of the group use it to wake the core
  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = 0;
  std::uint64_t posted_ = 0;
  /// Number of completed requests. Any thread of the group that polls a completion of this thread
  /// counts it here.
  std::atomic<std::uint64_t> returned_{0};
  std::uint64_t post_calls_ = 0;
  workloads::LatencySamples samples_;  // of the measured time
  BenchResult result_;
};

}  // namespace verbena::experiments
