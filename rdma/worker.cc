// The event loop of one worker.
#include "rdma/worker.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/device/work_request_id.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/drain.h"
#include "rdma/endpoint.h"
#include "rdma/memory/worker_memory.h"
#include "rdma/one_sided/requester.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_engine.h"
#include "rdma/rpc/rpc_message.h"

namespace verbena::rdma {
namespace {

constexpr int kMaxPoll = 64;

std::size_t message_pool_bytes(const EndpointOptions& options, std::uint32_t nodes) {
  if (options.rpc.message_pool_bytes != 0) return options.rpc.message_pool_bytes;
  // Every peer may have a reply kept in each of its slots.
  return (std::size_t{2} << 20) + std::size_t{nodes} * options.rpc.slots_per_peer *
                                      std::bit_ceil(std::size_t{options.rpc.max_message_bytes});
}

WorkerMemorySizes memory_sizes(const EndpointOptions& options, std::uint32_t nodes,
                               const PortSelection& port) {
  const auto message_bytes = std::min<std::size_t>(options.rpc.max_message_bytes, 128U << port.mtu);
  return {options.scratch_bytes, options.staging_bytes, message_pool_bytes(options, nodes),
          options.rpc.receive_depth, kGrhBytes + message_bytes};
}

}  // namespace

WorkerCounters& WorkerCounters::operator+=(const WorkerCounters& other) {
  reads += other.reads;
  writes += other.writes;
  atomics += other.atomics;
  passive_writes += other.passive_writes;
  post_calls += other.post_calls;
  signaled += other.signaled;
  send_queue_waits += other.send_queue_waits;
  calls += other.calls;
  notifications += other.notifications;
  datagrams += other.datagrams;
  datagram_post_calls += other.datagram_post_calls;
  datagrams_received += other.datagrams_received;
  retransmissions += other.retransmissions;
  duplicates += other.duplicates;
  foreign += other.foreign;
  shortages += other.shortages;
  explicit_acks += other.explicit_acks;
  fiber_switches += other.fiber_switches;
  turns += other.turns;
  return *this;
}

Worker::Worker(Endpoint& endpoint, WorkerId id, std::shared_ptr<DeviceContext> device,
               const PortSelection& port, std::uint32_t nic)
    : endpoint_(endpoint),
      node_(endpoint.node()),
      id_(id),
      memory_(
          std::make_unique<WorkerMemory>(memory_sizes(endpoint.options(), endpoint.nodes(), port))),
      verbs_(std::make_unique<WorkerVerbs>(std::move(device), port, nic, endpoint.options(),
                                           endpoint.nodes())),
      requester_(std::make_unique<Requester>(*this, *verbs_, *memory_)),
      rpc_(std::make_unique<Rpc>(*this)),
      fibers_(endpoint.options().stack_bytes, endpoint.options().fibers_per_worker + 1) {}

Worker::~Worker() = default;

void Worker::yield() {
  fibers_.make_ready(fibers_.current());
  fibers_.suspend();
}

void Worker::give_way() {
  if (core_->now() >= turn_ends()) yield();
}

void Worker::sleep_until(Nanoseconds deadline) { fibers_.sleep_until(deadline); }

std::span<std::byte> Worker::allocate_scratch(std::size_t bytes) {
  return memory_->allocate_scratch(bytes);
}

WorkerCounters Worker::counters() const {
  WorkerCounters total = requester_->counters;
  total += rpc_->engine().counters;
  total.fiber_switches = fibers_.switches();
  total.turns = turns_;
  return total;
}

bool Worker::poll_sends() {
  RpcEngine& rpc = rpc_->engine();
  ibv_wc completions[kMaxPoll];
  const int count = ibv_poll_cq(verbs_->send_cq.get(),
                                static_cast<int>(endpoint_.options().poll_batch), completions);
  if (count < 0) throw_verbs_error(verbs_->table, "ibv_poll_cq", verbs_->context(), nullptr, EIO);
  for (int i = 0; i < count; ++i) {
    if (WorkRequestId::decode(completions[i].wr_id).channel == kDatagramChannel) {
      rpc.sent(completions[i]);
    } else {
      requester_->complete(completions[i]);
    }
  }
  return count > 0;
}

void Worker::look_if_alone() {
  if (fibers_.alive() != 1 || looks_ == kLooks) return;
  ++looks_;
  poll_sends();
}

Nanoseconds Worker::turn_ends() const { return turn_began_ + endpoint_.options().turn_time; }

void Worker::turn() {
  ++turns_;
  looks_ = 0;
  turn_began_ = core_->now();
  RpcEngine& rpc = rpc_->engine();
  bool busy = (requester_->in_flight() || rpc.in_flight()) && poll_sends();
  busy |= rpc.poll();
  fibers_.wake_sleepers(turn_began_);
  rpc.tick(turn_began_);
  if (const std::uint32_t epoch = endpoint_.dead_epoch(); epoch != dead_epoch_) {
    dead_epoch_ = epoch;
    rpc.drop_dead();
  }
  busy |= fibers_.run_ready([this] { core_->spend(Work::kFiberSwitch); },
                            [this] { return core_->now() < turn_ends(); }) > 0;
  rpc.flush();
  if (busy) core_->spend(Work::kEventLoop);
}

template <typename Condition>
void Worker::loop_until(Condition&& condition) {
  for (;;) {
    turn();
    if (condition()) return;
    core_->idle(fibers_.has_ready()
                    ? core_->now()
                    : std::min(fibers_.next_deadline(), rpc_->engine().next_deadline()));
  }
}

bool Worker::quiet() {
  // Requests that nobody waited for have no completion of their own.
  if (!flushed_) flushed_ = requester_->flush_unsignaled(SIZE_MAX);
  return requester_->idle() && rpc_->engine().idle();
}

void Worker::drain() {
  Drain& drain = endpoint_.drain();
  const std::uint64_t phase = drain.phase(id_);
  if (drain.arrive()) spawn([this, &drain] { drain.agree(*this); });
  // What peers were answered last must not stay behind.
  loop_until([&] { return drain.is_over(phase) && fibers_.alive() == 0 && rpc_->engine().idle(); });
}

void Worker::run(Core& core) {
  if (failed_) throw std::logic_error("run of a worker that has failed before");
  if (endpoint_.options().transport != Transport::kReliable) {
    throw std::logic_error("run of a worker with unreliable queue pairs");
  }
  core_ = &core;
  failed_ = true;  // unless this returns
  flushed_ = false;
  endpoint_.drain().begin(id_, core);
  poll_sends();  // tells the core which completions are to end its sleep
  loop_until([this] { return fibers_.alive() == 0 && quiet(); });
  drain();
  core_ = nullptr;
  failed_ = false;
}

}  // namespace verbena::rdma
