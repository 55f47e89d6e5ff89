// Posting and polling.
#include "experiments/bench/posting_thread.h"

#include <algorithm>

#include "rdma/base/cache_line.h"
#include "rdma/endpoint.h"

namespace verbena::experiments {
namespace {

// A work request id: when it was posted, so that no table of requests is needed, and by whom.
constexpr int kTimeBits = 48;
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;

std::uint64_t encode(Nanoseconds posted, std::uint16_t owner) {
  return (static_cast<std::uint64_t>(posted.count()) & kTimeMask) | std::uint64_t{owner}
                                                                        << kTimeBits;
}

ibv_wr_opcode opcode_of(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return IBV_WR_RDMA_WRITE;
    case Operation::kCompareAndSwap:
      return IBV_WR_ATOMIC_CMP_AND_SWP;
    case Operation::kFetchAndAdd:
      return IBV_WR_ATOMIC_FETCH_AND_ADD;
    default:
      return IBV_WR_RDMA_READ;
  }
}

const char* counter_of(Operation operation) {
  if (operation == Operation::kRead) return "worker.reads";
  return operation == Operation::kWrite ? "worker.writes" : "worker.atomics";
}

}  // namespace

PostingThread::PostingThread(PostingGroup& group, WorkerId number, std::uint32_t threads,
                             const BenchOptions& options, BenchPeers peers,
                             workloads::NicInterval* nics)
    : group_(group),
      number_(number),
      index_(static_cast<std::uint16_t>(group.members.size())),
      options_(options),
      peers_(peers),
      nics_(nics),
      random_(options.seed, group.resources.node(), number, 0),
      stride_(whole_lines(options.payload_bytes)),
      samples_(workloads::LatencySamples::of_one_of(threads)) {
  group_.members.push_back(this);
  buffer_ = group_.resources.allocate_scratch(options_.window * stride_);
  const bool atomic = is_atomic(options_.operation);
  alignment_ = atomic ? 8 : kCacheLineBytes;
  places_ =
      (group_.resources.endpoint().region(0).size() - options_.payload_bytes) / alignment_ + 1;
  const bool inlined = options_.operation == Operation::kWrite &&
                       options_.payload_bytes <= group_.connections.inline_bytes();
  for (std::size_t i = 0; i < kChain; ++i) {
    elements_[i] = {0, options_.payload_bytes, group_.connections.local_key()};
    requests_[i].sg_list = &elements_[i];
    requests_[i].num_sge = 1;
    requests_[i].opcode = opcode_of(options_.operation);
    requests_[i].send_flags =
        unsigned{IBV_SEND_SIGNALED} | (inlined ? unsigned{IBV_SEND_INLINE} : 0U);
    if (atomic) requests_[i].wr.atomic.compare_add = 1;
  }
}

void PostingThread::prepare(std::size_t index, NodeId peer) {
  const rdma::RawConnections::Target target = group_.connections.target(peer, 0);
  const std::uint64_t address = target.base + random_.below(places_) * alignment_;
  ibv_send_wr& request = requests_[index];
  elements_[index].addr = reinterpret_cast<std::uint64_t>(buffer_.data()) +
                          (posted_ + index) % options_.window * stride_;
  request.next = nullptr;
  if (index > 0) requests_[index - 1].next = &request;
  if (alignment_ == 8) {
    request.wr.atomic.remote_addr = address;
    request.wr.atomic.rkey = target.key;
  } else {
    request.wr.rdma.remote_addr = address;
    request.wr.rdma.rkey = target.key;
  }
  request.wr_id = encode(core_.load(std::memory_order_relaxed)->now(), index_);
}

void PostingThread::post(std::size_t count, NodeId peer) {
  const std::uint32_t connections = group_.resources.endpoint().options().qps_per_peer;
  const auto connection =
      static_cast<std::uint32_t>(connections == 1 ? 0 : random_.below(connections));
  // Before the post: another thread may poll the completion before this one goes on.
  posted_ += count;
  ++post_calls_;
  group_.connections.post(peer, connection, requests_.data());
}

void PostingThread::fill() {
  const bool batched = options_.doorbell == rdma::Doorbell::kBatched;
  for (std::uint32_t room = options_.window - in_flight(); room > 0;) {
    const std::size_t count = batched ? std::min<std::size_t>(room, kChain) : 1;
    const NodeId peer = peers_.pick(random_.next());
    for (std::size_t i = 0; i < count; ++i) prepare(i, peer);
    post(count, peer);
    room -= static_cast<std::uint32_t>(count);
  }
}

void PostingThread::complete(const ibv_wc& completion, Nanoseconds now) {
  if (completion.status != IBV_WC_SUCCESS) group_.connections.throw_failure(completion);
  const std::uint64_t posted = completion.wr_id & kTimeMask;
  PostingThread& owner = *group_.members[completion.wr_id >> kTimeBits];
  ++result_.total;
  const Nanoseconds latency((static_cast<std::uint64_t>(now.count()) - posted) & kTimeMask);
  if (now >= measure_from_ && now < end_) {
    ++result_.completed;
    result_.latency.record(latency);
    samples_.record(now, latency);
    result_.series.commit(now, latency);
  } else if (now >= end_ && now - latency < end_) {
    result_.record_in_flight(end_ - (now - latency), now - end_, 1);
  }
  owner.returned_.fetch_add(1, std::memory_order_release);
  if (&owner == this) return;
  rdma::Core* core = owner.core_.load(std::memory_order_acquire);
  if (core != nullptr) core->wake();
}

bool PostingThread::collect() {
  ibv_wc completions[kPoll];
  const std::size_t count = group_.connections.poll(completions);
  if (count == 0) return false;
  const Nanoseconds now = core_.load(std::memory_order_relaxed)->now();
  for (std::size_t i = 0; i < count; ++i) complete(completions[i], now);
  return true;
}

void PostingThread::run(rdma::Core& core, std::atomic<std::int64_t>* position) {
  core_.store(&core, std::memory_order_release);
  const Nanoseconds start = core.now();
  measure_from_ = start + options_.warm_up;
  end_ = measure_from_ + options_.duration;
  result_.series = workloads::IntervalSeries(measure_from_, end_);
  std::uint64_t posted_before = 0;  // the measured time
  std::uint64_t calls_before = 0;
  for (Nanoseconds now = start; now < end_; now = core.now()) {
    if (now < measure_from_) {
      posted_before = posted_;
      calls_before = post_calls_;
    }
    if (nics_ != nullptr) nics_->observe(now, measure_from_, end_);
    if (!options_.rounds || in_flight() == 0) fill();
    if (!collect()) core.idle(kNever);
    if (position != nullptr) position->store((now - start).count(), std::memory_order_relaxed);
  }
  if (nics_ != nullptr) nics_->observe(core.now(), measure_from_, end_);
  result_.counters["worker.post_calls"] = post_calls_ - calls_before;
  result_.counters[counter_of(options_.operation)] = posted_ - posted_before;
  while (in_flight() > 0) {
    if (!collect()) core.idle(kNever);
  }
  // The threads that are left have to poll from now on.
  for (const PostingThread* other : group_.members) {
    rdma::Core* others_core = other->core_.load(std::memory_order_acquire);
    if (other != this && others_core != nullptr) others_core->wake();
  }
  result_.end = core.now() - start;
}

void PostingThread::add_to(BenchResult& result) const {
  result.merge(result_);
  result.latency_batches.add(samples_, measure_from_, end_);
}

}  // namespace verbena::experiments
