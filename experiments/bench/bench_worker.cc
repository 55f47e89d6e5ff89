// The measured time of one worker.
#include "experiments/bench/bench_worker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rdma/endpoint.h"

namespace verbena::experiments {
namespace {

using WorkerCounter = std::uint64_t rdma::WorkerCounters::*;

constexpr std::array<std::pair<const char*, WorkerCounter>, 16> kWorkerCounters = {
    {{"worker.reads", &rdma::WorkerCounters::reads},
     {"worker.writes", &rdma::WorkerCounters::writes},
     {"worker.atomics", &rdma::WorkerCounters::atomics},
     {"worker.post_calls", &rdma::WorkerCounters::post_calls},
     {"worker.signaled", &rdma::WorkerCounters::signaled},
     {"worker.send_queue_waits", &rdma::WorkerCounters::send_queue_waits},
     {"worker.calls", &rdma::WorkerCounters::calls},
     {"worker.notifications", &rdma::WorkerCounters::notifications},
     {"worker.datagrams", &rdma::WorkerCounters::datagrams},
     {"worker.datagram_post_calls", &rdma::WorkerCounters::datagram_post_calls},
     {"worker.datagrams_received", &rdma::WorkerCounters::datagrams_received},
     {"worker.retransmissions", &rdma::WorkerCounters::retransmissions},
     {"worker.duplicates", &rdma::WorkerCounters::duplicates},
     {"worker.explicit_acks", &rdma::WorkerCounters::explicit_acks},
     {"worker.fiber_switches", &rdma::WorkerCounters::fiber_switches},
     {"worker.turns", &rdma::WorkerCounters::turns}}};

}  // namespace

void BenchWorker::run(rdma::Core& core, std::atomic<std::int64_t>* position) {
  position_ = position;
  start_ = core.now();
  measure_from_ = start_ + options.warm_up;
  end_ = measure_from_ + options.duration;
  result_.series = workloads::IntervalSeries(measure_from_, end_);
  worker.run(core);
  stopped_ = core.now() - start_;
}

void BenchWorker::observe() {
  const Nanoseconds now = worker.now();
  if (nics_ != nullptr) nics_->observe(now, measure_from_, end_);
  if (position_ != nullptr) position_->store((now - start_).count(), std::memory_order_relaxed);
  if (now < measure_from_ || at_end_) return;
  if (!at_begin_) at_begin_ = worker.counters();
  if (now >= end_) at_end_ = worker.counters();
}

void BenchWorker::record(Nanoseconds started, Nanoseconds ended, std::uint32_t operations) {
  result_.total += operations;
  if (ended < measure_from_) return;
  if (ended >= end_) {
    if (latencies_ && started < end_) {
      result_.record_in_flight(end_ - started, ended - end_, operations);
    }
    return;
  }
  result_.completed += operations;
  result_.series.commit(ended, ended - started, operations);
  if (!latencies_) return;
  for (std::uint32_t i = 0; i < operations; ++i) {
    result_.latency.record(ended - started);
    samples_.record(ended, ended - started);
  }
}

void BenchWorker::add_to(BenchResult& result) const {
  result.merge(result_);
  result.latency_batches.add(samples_, measure_from_, end_);
  const rdma::WorkerCounters last = at_end_ ? *at_end_ : worker.counters();
  const rdma::WorkerCounters first = at_begin_ ? *at_begin_ : last;
  for (const auto& [name, counter] : kWorkerCounters) {
    result.counters[name] += last.*counter - first.*counter;
  }
  result.end = std::max(result.end, stopped_);
}

RemoteAddress BenchWorker::random_place(std::uint64_t bytes, std::uint64_t alignment) {
  const NodeId peer = random_peer();
  const std::uint64_t places = (worker.endpoint().region(0).size() - bytes) / alignment + 1;
  return {peer, 0, random.below(places) * alignment};
}

}  // namespace verbena::experiments
