// Setting up the hosted nodes, running fibers over them, draining and merging.
#include "workloads/run/cluster_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "rdma/base/backoff.h"
#include "rdma/endpoint.h"
#include "rdma/worker.h"
#include "txn/check/history.h"
#include "txn/occ/coordinator.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"
#include "workloads/run/audit.h"
#include "workloads/run/nic_interval.h"

namespace verbena::workloads {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What one worker's fibers share.
struct WorkerRun {
  Nanoseconds start = -1;      // when its first fiber began
  Nanoseconds usual_time = 0;  // of an attempt that commits: a moving average
  std::vector<std::uint64_t> committed_by_kind;
  std::uint64_t committed_total = 0;
  std::int64_t committed_change = 0;
  NicInterval* nics = nullptr;  // for this worker to observe
};

// One stream of transactions.
class FiberRun {
 public:
  FiberRun(const RunOptions& options, const Workload& workload, txn::occ::Coordinator& coordinator,
           WorkerRun& shared, std::uint16_t fiber)
      : options_(options),
        coordinator_(coordinator),
        worker_(coordinator.worker()),
        shared_(shared),
        random_(options.seed, worker_.node(), worker_.id(), fiber),
        transaction_(coordinator, fiber),
        client_(workload.make_client(worker_.node(), worker_.id(), fiber, Random(random_.next()))) {
  }

  void run() {
    if (shared_.start < 0) shared_.start = worker_.now();
    const Nanoseconds measure_from = shared_.start + options_.warm_up;
    const Nanoseconds end = measure_from + options_.duration;
    coordinator_.measure(measure_from, end);
    std::uint64_t done = 0;
    while (worker_.now() < end &&
           (options_.max_transactions == 0 || done < options_.max_transactions)) {
      if (shared_.nics != nullptr) shared_.nics->observe(worker_.now(), measure_from, end);
      run_one(measure_from, end);
      ++done;
      if (options_.position_ns != nullptr) {
        options_.position_ns->store(worker_.now() - shared_.start, std::memory_order_relaxed);
      }
    }
    if (shared_.nics != nullptr) shared_.nics->observe(worker_.now(), measure_from, end);
    shared_.committed_change += client_->committed_change();
    coordinator_.transactions_done();
  }

 private:
  // One transaction, tried again until it is committed or rolled back.
  void run_one(Nanoseconds measure_from, Nanoseconds end) {
    const Nanoseconds start = worker_.now();
    const std::uint32_t kind = client_->next();
    worker_.give_way();
    worker_.core().spend(rdma::Work::kTransactionInput);
    Backoff backoff(shared_.usual_time);
    Nanoseconds attempt_start = start;
    for (;;) {
      attempt_start = worker_.now();
      const Attempt attempt = client_->execute(transaction_);
      if (attempt == Attempt::kRolledBack) return;
      if (attempt == Attempt::kCommitted) break;
      transaction_.wait(backoff.next(random_));
    }
    ++shared_.committed_total;
    const Nanoseconds decided = transaction_.decided_at();
    shared_.usual_time += (decided - attempt_start - shared_.usual_time) / 8;
    if (decided < measure_from || decided >= end) return;
    ++shared_.committed_by_kind[kind];
    coordinator_.metrics().latency.record(decided - start);
  }

  const RunOptions& options_;
  txn::occ::Coordinator& coordinator_;
  rdma::Worker& worker_;
  WorkerRun& shared_;
  Random random_;
  txn::occ::Transaction transaction_;
  std::unique_ptr<WorkloadClient> client_;
};

struct HostedNode {
  HostedNode(rdma::Fabric& fabric, NodeId node, const rdma::EndpointOptions& options,
             const txn::Schema& schema, const txn::occ::TransactionOptions& transactions)
      : endpoint(fabric, node, options),
        participant(endpoint, schema, transactions),
        workers(options.workers) {}

  rdma::Endpoint endpoint;
  txn::occ::TransactionNode participant;
  std::vector<WorkerRun> workers;
};

}  // namespace

struct ClusterRun::State {
  State(rdma::Fabric& used_fabric, const Workload& used_workload, RunOptions used_options)
      : fabric(used_fabric),
        workload(used_workload),
        options(std::move(used_options)),
        nics(used_fabric) {}

  void set_up();
  void run_fibers();
  void merge(RunResult& result);
  void verify(RunResult& result);
  void check_history(RunResult& result);

  rdma::Fabric& fabric;
  const Workload& workload;
  RunOptions options;
  NicInterval nics;
  std::vector<std::unique_ptr<HostedNode>> nodes;
  double setup_wall_seconds = 0;
};

void ClusterRun::State::set_up() {
  const txn::occ::TransactionOptions transactions{
      .plan = txn::resolve(options.plan,
                           {.cpu_coherent_atomics = false, .nics = options.endpoint.nics}),
      .replicas = options.replicas,
      .fibers = options.coroutines,
      .limits = workload.limits(),
      .log_ring_bytes = options.log_ring_bytes,
      .location_cache_bytes = options.location_cache_bytes,
      .warm_location_cache = options.warm_location_cache,
      .record_history = options.record_history};
  rdma::EndpointOptions endpoint = options.endpoint;
  endpoint.fibers_per_worker = options.coroutines + 1;  // and the log keeper
  endpoint.scratch_bytes = txn::occ::TransactionNode::scratch_bytes(transactions, fabric.nodes());
  // Every receive buffer has room for the longest, and all of them are used in turn.
  endpoint.rpc.max_message_bytes = std::min(
      endpoint.rpc.max_message_bytes,
      txn::occ::TransactionNode::message_bytes(workload.schema(), transactions, fabric.nodes()));
  for (const NodeId node : fabric.hosted()) {
    nodes.push_back(
        std::make_unique<HostedNode>(fabric, node, endpoint, workload.schema(), transactions));
  }
  for (auto& node : nodes) node->endpoint.publish();
  for (auto& node : nodes) {
    node->endpoint.connect();
    node->participant.start();
  }
}

void ClusterRun::State::run_fibers() {
  std::vector<rdma::CoreTask> tasks;
  nodes.front()->workers.front().nics = &nics;
  for (auto& node : nodes) {
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      const auto id = static_cast<WorkerId>(w);
      rdma::Worker& worker = node->endpoint.worker(id);
      txn::occ::Coordinator& coordinator = node->participant.coordinator(id);
      WorkerRun& shared = node->workers[w];
      shared.committed_by_kind.resize(workload.kinds().size());
      for (std::uint32_t f = 0; f < options.coroutines; ++f) {
        // The fiber's, since one that a failed run leaves suspended still uses it while it unwinds.
        worker.spawn(
            [fiber = std::make_shared<FiberRun>(options, workload, coordinator, shared,
                                                static_cast<std::uint16_t>(f))] { fiber->run(); });
      }
      worker.spawn([&coordinator] { coordinator.keep_logs(); });
      tasks.push_back({.node = node->endpoint.node(),
                       .worker = id,
                       .body = [&worker](rdma::Core& core) { worker.run(core); }});
    }
  }
  fabric.run(std::move(tasks));
}

void ClusterRun::State::merge(RunResult& result) {
  for (auto& node : nodes) {
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      result.metrics.merge(node->participant.coordinator(static_cast<WorkerId>(w)).metrics());
      const WorkerRun& worker = node->workers[w];
      result.committed_total += worker.committed_total;
      for (std::size_t kind = 0; kind < worker.committed_by_kind.size(); ++kind) {
        result.committed_by_kind[workload.kinds()[kind]] += worker.committed_by_kind[kind];
      }
    }
  }
  result.nic_counters = nics.counters();
  result.total_nic_counters = nics.total();
  // Latencies are recorded for exactly those that were decided within the window.
  result.metrics.committed = result.metrics.latency.count();
  result.measured_seconds = static_cast<double>(options.duration) / static_cast<double>(kSecond);
  result.throughput_per_s = static_cast<double>(result.metrics.committed) / result.measured_seconds;
  result.trace_digest = fabric.trace_digest();
}

void ClusterRun::State::verify(RunResult& result) {
  std::vector<NodeAudit> audits;
  std::vector<NodeId> hosted;
  for (auto& node : nodes) {
    std::int64_t change = 0;
    for (const WorkerRun& worker : node->workers) change += worker.committed_change;
    audits.push_back(audit_store(node->participant.store(), workload, change));
    hosted.push_back(node->endpoint.node());
  }
  result.verification = compare_audits(fabric.rendezvous(), "audit",
                                       {.nodes = fabric.nodes(), .replicas = options.replicas},
                                       hosted, audits, options.endpoint.bring_up_timeout);
}

// Only whole histories can be checked: what other processes' transactions wrote is not known here,
// and their clocks are others.
void ClusterRun::State::check_history(RunResult& result) {
  if (nodes.size() < fabric.nodes()) return;
  txn::History all;
  for (auto& node : nodes) {
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      all.append(*node->participant.coordinator(static_cast<WorkerId>(w)).history());
    }
  }
  result.history_error = txn::strict_serializability_violation(all).value_or("");
}

ClusterRun::ClusterRun(rdma::Fabric& fabric, const Workload& workload, RunOptions options)
    : state_(std::make_unique<State>(fabric, workload, std::move(options))) {
  const Clock::time_point start = Clock::now();
  state_->set_up();
  state_->setup_wall_seconds = seconds_since(start);
}

ClusterRun::~ClusterRun() = default;

RunResult ClusterRun::run() {
  RunResult result;
  result.setup_wall_seconds = state_->setup_wall_seconds;
  const Clock::time_point start = Clock::now();
  state_->run_fibers();
  result.run_wall_seconds = seconds_since(start);
  state_->merge(result);
  if (state_->options.verify) state_->verify(result);
  if (state_->options.record_history) state_->check_history(result);
  return result;
}

}  // namespace verbena::workloads
