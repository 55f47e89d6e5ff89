// The loops, their peers and what they record.
#include "experiments/bench_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <thread>

#include "rdma/endpoint.h"
#include "rdma/rpc.h"
#include "rdma/rpc_batch.h"
#include "rdma/seam/errors.h"
#include "rdma/worker.h"
#include "txn/random.h"

namespace verbena::experiments {
namespace {

constexpr rdma::RpcMethod kEcho = 1;
constexpr rdma::RpcMethod kMessage = 2;
constexpr std::uint64_t kCacheLine = 64;

// Memory of a node that requests go to: so large that atomics rarely meet, so small that neither
// the host's nor the NIC's address translation matters.
constexpr std::uint64_t kRegionBytes = 2 << 20;

std::uint64_t lines_of(std::uint64_t bytes) { return (bytes + kCacheLine - 1) / kCacheLine; }

bool is_one_sided(Operation operation) {
  return operation != Operation::kSend && operation != Operation::kRpc;
}

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

Operation operation_of(const std::string& name) {
  constexpr std::array<std::pair<const char*, Operation>, 6> kNames = {
      {{"read", Operation::kRead},
       {"write", Operation::kWrite},
       {"send", Operation::kSend},
       {"rpc", Operation::kRpc},
       {"cas", Operation::kCompareAndSwap},
       {"faa", Operation::kFetchAndAdd}}};
  for (const auto& [known, operation] : kNames) {
    if (name == known) return operation;
  }
  throw ConfigurationError("unknown operation '" + name + "'");
}

struct BenchLoops::WorkerState {
  WorkerState(rdma::Worker& owner, std::uint64_t seed)
      : worker(owner), random(seed, owner.node(), owner.id(), 0) {}

  rdma::Worker& worker;
  txn::Random random;
  rdma::Nanoseconds start = 0;
  rdma::Nanoseconds measure_from = 0;
  rdma::Nanoseconds end = 0;
  rdma::Nanoseconds stopped = 0;
  BenchResult result;
  std::optional<rdma::WorkerCounters> at_begin;  // of the measured time
  std::optional<rdma::WorkerCounters> at_end;
};

BenchLoops::BenchLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
                       const BenchOptions& options)
    : fabric_(fabric),
      options_(options),
      nics_(fabric),
      hosts_all_nodes_(fabric.hosted().size() == fabric.nodes()) {
  rdma::EndpointOptions adapted = endpoint_options;
  adapted.fibers_per_worker = options.fibers;
  const std::uint64_t buffers =
      std::uint64_t{options.fibers} * options.window * lines_of(options.payload_bytes) * kCacheLine;
  adapted.scratch_bytes = std::max<std::size_t>(adapted.scratch_bytes, buffers + (1 << 16));
  const std::uint64_t region_bytes =
      std::max<std::uint64_t>(kRegionBytes, 4 * lines_of(options.payload_bytes) * kCacheLine);
  for (const rdma::NodeId node : fabric.hosted()) {
    endpoints_.push_back(std::make_unique<rdma::Endpoint>(fabric, node, adapted));
    endpoints_.back()->add_region("bench", region_bytes, nullptr);
  }
  for (auto& endpoint : endpoints_) endpoint->publish();
  for (auto& endpoint : endpoints_) endpoint->connect();
  for (auto& endpoint : endpoints_) {
    for (std::uint32_t worker = 0; worker < endpoint->workers(); ++worker) {
      prepare(*endpoint, static_cast<rdma::WorkerId>(worker));
    }
  }
}

BenchLoops::~BenchLoops() = default;

void BenchLoops::prepare(rdma::Endpoint& endpoint, rdma::WorkerId id) {
  rdma::Worker& worker = endpoint.worker(id);
  workers_.push_back(std::make_unique<WorkerState>(worker, options_.seed));
  WorkerState& state = *workers_.back();
  if (!is_one_sided(options_.operation) && options_.payload_bytes > worker.rpc().max_payload()) {
    throw ConfigurationError(fmt::format("--payload {}: a message holds at most {} bytes",
                                         options_.payload_bytes, worker.rpc().max_payload()));
  }
  worker.rpc().serve(
      kEcho, [this, &state](const rdma::RpcCaller&, std::span<const std::byte> request,
                            rdma::RpcReply& reply) {
        observe(state);
        state.worker.core().spend(rdma::Work::kCopyLine,
                                  static_cast<std::uint32_t>(lines_of(request.size())));
        std::memcpy(reply.allocate(request.size()).data(), request.data(), request.size());
      });
  worker.rpc().serve(kMessage, [this, &state](const rdma::RpcCaller&,
                                              std::span<const std::byte> message, rdma::RpcReply&) {
    observe(state);
    rdma::Nanoseconds sent = 0;
    std::memcpy(&sent, message.data(), sizeof(sent));
    record(state, sent, state.worker.now(), 1);
  });
  if (worker.node() >= options_.clients) {
    const bool sleeps = options_.servers_sleep && is_one_sided(options_.operation);
    if (sleeps) worker.spawn([&state] { sleeping_fiber(state); });
    return;
  }
  for (std::uint32_t fiber = 0; fiber < options_.fibers; ++fiber) {
    worker.spawn([this, &state] {
      if (options_.operation == Operation::kSend) {
        send_fiber(state);
      } else if (options_.operation == Operation::kRpc) {
        rpc_fiber(state);
      } else {
        one_sided_fiber(state);
      }
    });
  }
}

rdma::NodeId BenchLoops::random_peer(WorkerState& state, std::uint64_t random) const {
  const std::uint32_t nodes = fabric_.nodes();
  const rdma::NodeId self = state.worker.node();
  if (nodes == 1) return self;
  const std::uint64_t other = random % (nodes - 1);
  return static_cast<rdma::NodeId>(other < self ? other : other + 1);
}

// Called between a worker's operations; the ends of the measured time are exact but for one.
void BenchLoops::observe(WorkerState& state) {
  const rdma::Nanoseconds now = state.worker.now();
  if (&state == workers_.front().get()) nics_.observe(now, state.measure_from, state.end);
  if (now < state.measure_from || state.at_end) return;
  if (!state.at_begin) state.at_begin = state.worker.counters();
  if (now >= state.end) state.at_end = state.worker.counters();
}

void BenchLoops::record(WorkerState& state, rdma::Nanoseconds started, rdma::Nanoseconds ended,
                        std::uint32_t operations) const {
  state.result.total += operations;
  if (ended < state.measure_from || ended >= state.end) return;
  state.result.completed += operations;
  if (options_.operation == Operation::kSend && !hosts_all_nodes_) return;
  for (std::uint32_t i = 0; i < operations; ++i) state.result.latency.record(ended - started);
}

void BenchLoops::sleeping_fiber(const WorkerState& state) {
  while (state.worker.now() < state.end) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void BenchLoops::one_sided_fiber(WorkerState& state) {
  rdma::Worker& worker = state.worker;
  rdma::RequestBatch batch(worker);
  const std::uint64_t stride = lines_of(options_.payload_bytes) * kCacheLine;
  std::byte* buffer = worker.allocate_scratch(options_.window * stride).data();
  std::vector<std::uint64_t> found(options_.window);
  const bool atomic = options_.operation == Operation::kCompareAndSwap ||
                      options_.operation == Operation::kFetchAndAdd;
  const bool several_queue_pairs = worker.endpoint().options().qps_per_peer > 1;
  const std::uint64_t alignment = atomic ? 8 : kCacheLine;
  const std::uint64_t places =
      (worker.endpoint().region(0).size() - options_.payload_bytes) / alignment + 1;
  for (rdma::Nanoseconds started = worker.now(); started < state.end;) {
    observe(state);
    for (std::uint32_t i = 0; i < options_.window; ++i) {
      const rdma::NodeId peer = random_peer(state, state.random.next());
      const rdma::RemoteAddress at{peer, 0, state.random.below(places) * alignment};
      switch (options_.operation) {
        case Operation::kRead:
          batch.read(at, buffer + i * stride, options_.payload_bytes);
          break;
        case Operation::kWrite:
          batch.write(at, buffer + i * stride, options_.payload_bytes);
          break;
        case Operation::kCompareAndSwap:
          batch.compare_and_swap(at, 0, 0, &found[i]);
          break;
        default:
          batch.fetch_and_add(at, 1, &found[i]);
      }
      // Each request is to take a queue pair of its own choice.
      if (several_queue_pairs && options_.doorbell == rdma::Doorbell::kEach)
        batch.post(options_.doorbell);
    }
    if (!batch.empty()) batch.post(options_.doorbell);
    batch.wait();
    const rdma::Nanoseconds ended = worker.now();
    record(state, started, ended, options_.window);
    position_->store(ended - state.start, std::memory_order_relaxed);
    started = ended;
  }
  observe(state);
}

void BenchLoops::rpc_fiber(WorkerState& state) {
  rdma::Worker& worker = state.worker;
  rdma::RpcBatch batch(worker);
  const std::vector<std::byte> request(options_.payload_bytes);
  for (rdma::Nanoseconds started = worker.now(); started < state.end;) {
    observe(state);
    for (std::uint32_t i = 0; i < options_.window; ++i) {
      batch.add(random_peer(state, state.random.next()), kEcho, request);
    }
    batch.post(options_.doorbell);
    batch.wait();
    batch.clear();
    const rdma::Nanoseconds ended = worker.now();
    record(state, started, ended, options_.window);
    position_->store(ended - state.start, std::memory_order_relaxed);
    started = ended;
  }
  observe(state);
}

void BenchLoops::send_fiber(WorkerState& state) {
  rdma::Worker& worker = state.worker;
  std::vector<std::byte> message(options_.payload_bytes);
  for (rdma::Nanoseconds now = worker.now(); now < state.end; now = worker.now()) {
    observe(state);
    for (std::uint32_t i = 0; i < options_.window; ++i) {
      const rdma::Nanoseconds sent = worker.now();
      std::memcpy(message.data(), &sent, sizeof(sent));
      worker.rpc().notify(random_peer(state, state.random.next()), kMessage, message,
                          options_.doorbell);
    }
    position_->store(now - state.start, std::memory_order_relaxed);
    worker.yield();
  }
  observe(state);
}

BenchResult BenchLoops::run(std::atomic<std::int64_t>& position) {
  position_ = &position;
  std::vector<rdma::CoreTask> tasks;
  tasks.reserve(workers_.size());
  for (auto& state : workers_) {
    tasks.push_back({state->worker.node(), state->worker.id(), [&state, this](rdma::Core& core) {
                       state->start = core.now();
                       state->measure_from = state->start + options_.warm_up;
                       state->end = state->measure_from + options_.duration;
                       state->worker.run(core);
                       state->stopped = core.now() - state->start;
                     }});
  }
  fabric_.run(std::move(tasks));
  BenchResult result;
  for (const auto& state : workers_) {
    result.completed += state->result.completed;
    result.total += state->result.total;
    result.latency.merge(state->result.latency);
    if (!state->at_end) state->at_end = state->worker.counters();
    for (const auto& [name, counter] : kWorkerCounters) {
      const std::uint64_t before = (state->at_begin ? *state->at_begin : *state->at_end).*counter;
      result.counters[name] += (*state->at_end).*counter - before;
    }
    result.end = std::max(result.end, state->stopped);
  }
  result.nic_counters = nics_.counters();
  result.total_nic_counters = nics_.total();
  return result;
}

}  // namespace verbena::experiments
