// The event loop of one worker.
#include "rdma/worker.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/device/peer_health.h"
#include "rdma/device/work_request_id.h"
#include "rdma/device/worker_context.h"
#include "rdma/drain.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/connections.h"
#include "rdma/prism/nic_path.h"
#include "rdma/prism/software_path.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/transport/rpc_message.h"
#include "rdma/rpc/transport/write_ring_transport.h"

namespace verbena::rdma {
namespace {

constexpr int kMaxPoll = 64;

std::size_t message_pool_bytes(const EndpointOptions& options, const WorkerLinks& links) {
  if (options.rpc.message_pool_bytes != 0) return options.rpc.message_pool_bytes;
  // Every peer may have a reply kept in each of its slots; one that is written has a byte more.
  const std::size_t bytes =
      std::size_t{options.rpc.max_message_bytes} + (options.writes_messages() ? 1 : 0);
  return (std::size_t{2} << 20) +
         std::size_t{links.all} * options.rpc.slots_per_peer * std::bit_ceil(bytes);
}

WorkerMemorySizes memory_sizes(const EndpointOptions& options, const ClusterLinks& cluster,
                               NodeId node, WorkerId worker, const PortSelection& port) {
  const WorkerLinks links = cluster.links(node, worker);
  const bool rings = options.writes_messages();
  const auto message_bytes = std::min<std::size_t>(options.rpc.max_message_bytes, 128U << port.mtu);
  return {.scratch_bytes = options.scratch_bytes,
          .staging_bytes = options.staging_bytes,
          .message_bytes = message_pool_bytes(options, links),
          .receive_buffers = rings ? 0 : options.receive_depth(links),
          .receive_bytes = kGrhBytes + message_bytes,
          .ring_bytes =
              rings ? WriteRingTransport::ring_bytes(options.rpc, cluster.link_numbers(node)) : 0};
}

}  // namespace

Worker::Worker(Endpoint& endpoint, const PeerHealth& health, WorkerId id,
               std::shared_ptr<DeviceContext> device, const PortSelection& port, std::uint32_t nic)
    : endpoint_(endpoint),
      health_(health),
      memory_(std::make_unique<WorkerMemory>(
          memory_sizes(endpoint.options(), endpoint.links(), endpoint.node(), id, port),
          endpoint.fabric().page_arena())),
      verbs_(std::make_unique<WorkerVerbs>(std::move(device), port, nic, endpoint.options(),
                                           endpoint.links().links(endpoint.node(), id))),
      thread_(endpoint.node(), id, endpoint.options().stack_bytes,
              endpoint.options().fibers_per_worker + 1, [this] { poll_sends(); }) {
  const WorkerContext context{thread_, *memory_, *verbs_, health, endpoint.options()};
  connections_ = std::make_unique<Connections>(context);
  rpc_ = std::make_unique<Rpc>(context);
  if (endpoint.options().prism == PrismMode::kNic && verbs_->table.prism != nullptr) {
    nic_path_ = std::make_unique<NicPath>(thread_, *connections_);
    rpc_->carry_chains_by(nic_path_.get());
  }
  if (!endpoint.options().requests_by_cores()) return;
  software_path_ =
      std::make_unique<SoftwarePath>(*rpc_, *connections_, endpoint.options().qps_per_peer == 1);
  connections_->go_by(software_path_.get());
}

Worker::~Worker() = default;

void Worker::yield() {
  thread_.make_ready(thread_.current_fiber());
  thread_.suspend();
}

void Worker::give_way() {
  if (thread_.core().now() >= turn_ends()) yield();
}

void Worker::sleep_until(Nanoseconds deadline) { thread_.fibers().sleep_until(deadline); }

std::span<std::byte> Worker::allocate_scratch(std::size_t bytes) {
  return memory_->allocate_scratch(bytes);
}

WorkerCounters Worker::counters() const {
  WorkerCounters total = connections_->counters;
  total += rpc_->counters();
  total.fiber_switches = thread_.fibers().switches();
  total.turns = turns_;
  return total;
}

bool Worker::poll_sends() {
  ibv_wc completions[kMaxPoll];
  const int count = ibv_poll_cq(verbs_->send_cq.get(),
                                static_cast<int>(endpoint_.options().poll_batch), completions);
  if (count < 0) throw_verbs_error(verbs_->table, "ibv_poll_cq", verbs_->context(), nullptr, EIO);
  for (int i = 0; i < count; ++i) {
    thread_.core().note(Notice::kCompletion, completions[i].wr_id);
    if (WorkRequestId::decode(completions[i].wr_id).channel == kMessageChannel) {
      rpc_->transport().sent(completions[i]);
    } else {
      connections_->complete(completions[i]);
    }
  }
  return count > 0;
}

// Takes completions and messages, and sends the replies that are not to wait for the turn's end.
bool Worker::poll() {
  bool busy = (connections_->in_flight() || rpc_->transport().in_flight()) && poll_sends();
  busy |= rpc_->poll();
  if (busy && endpoint_.options().rpc.flush == MessageFlush::kAtOnce) rpc_->flush();
  return busy;
}

Nanoseconds Worker::turn_ends() const { return turn_began_ + endpoint_.options().turn_time; }

void Worker::go_on_as(FiberId fiber) {
  thread_.core().note(Notice::kGoesOn, fiber);
  thread_.core().spend(Work::kFiberSwitch);
}

void Worker::turn() {
  ++turns_;
  thread_.begin_turn();
  turn_began_ = thread_.core().now();
  bool busy = poll();
  thread_.core().note(Notice::kGoesOn, kEventLoop);
  thread_.fibers().wake_sleepers(
      turn_began_, [this](FiberId fiber) { thread_.core().note(Notice::kAwake, fiber); });
  rpc_->tick(turn_began_);
  if (const std::uint32_t epoch = health_.dead_epoch(); epoch != dead_epoch_) {
    dead_epoch_ = epoch;
    rpc_->drop_dead();
  }
  busy |= thread_.fibers().run_ready([this](FiberId next) { go_on_as(next); },
                                     [this] { return thread_.core().now() < turn_ends(); }) > 0;
  thread_.core().note(Notice::kGoesOn, kEventLoop);
  rpc_->flush();
  if (busy) thread_.core().spend(Work::kEventLoop);
}

template <typename Condition>
void Worker::loop_until(Condition&& condition) {
  for (;;) {
    turn();
    if (condition()) return;
    thread_.core().idle(thread_.fibers().has_ready()
                            ? thread_.core().now()
                            : std::min(thread_.fibers().next_deadline(), rpc_->next_deadline()));
  }
}

bool Worker::quiet() {
  // Requests that nobody waited for have no completion of their own.
  if (!flushed_) flushed_ = connections_->flush_unsignaled(SIZE_MAX);
  if (!connections_->idle() || !rpc_->idle()) return false;
  if (software_path_ != nullptr) software_path_->check_passive();
  return true;
}

void Worker::spawn_background(std::function<void()> body) {
  if (!endpoint_.options().background) {
    throw std::logic_error("a fiber in the background of an endpoint without");
  }
  ++background_;
  spawn([this, body = std::move(body)] {
    body();
    --background_;
  });
}

// Fibers in the background serve other fibers until the last of these has ended.
void Worker::end_foreground(Core& core) {
  Drain& drain = endpoint_.drain();
  drain.begin(id(), core);
  const std::uint64_t phase = drain.phase(id());
  loop_until([this] { return thread_.fibers().alive() <= background_; });
  if (drain.arrive()) spawn([this, &drain] { drain.agree(*this, true); });
  loop_until([&] { return drain.is_over(phase); });
  over_ = true;
}

void Worker::drain() {
  Drain& drain = endpoint_.drain();
  const std::uint64_t phase = drain.phase(id());
  if (drain.arrive()) spawn([this, &drain] { drain.agree(*this, false); });
  // The last replies to peers must not stay behind.
  loop_until([&] { return drain.is_over(phase) && thread_.fibers().alive() == 0 && rpc_->idle(); });
}

void Worker::run(Core& core) {
  if (failed_) throw std::logic_error("run of a worker that has failed before");
  if (endpoint_.options().transport != Transport::kReliable) {
    throw std::logic_error("run of a worker with unreliable queue pairs");
  }
  thread_.run_on(&core);
  rpc_->transport().run_on(core);
  failed_ = true;  // unless this returns
  flushed_ = false;
  poll_sends();  // tells the core which completions are to end its sleep
  over_ = !endpoint_.options().background;
  if (!over_) end_foreground(core);
  endpoint_.drain().begin(id(), core);
  loop_until([this] { return thread_.fibers().alive() == 0 && quiet(); });
  drain();
  thread_.run_on(nullptr);
  failed_ = false;
}

}  // namespace verbena::rdma
