// Setting up the hosted nodes, running fibers over them, draining and merging.
#include "workloads/run/cluster_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "rdma/worker.h"
#include "txn/check/history.h"
#include "txn/system.h"
#include "workloads/run/audit.h"
#include "workloads/run/bookkeeping.h"
#include "workloads/run/check_fits.h"
#include "workloads/run/cluster_at_rest.h"
#include "workloads/run/gather.h"
#include "workloads/run/history/history_check.h"
#include "workloads/run/history/past_writes.h"
#include "workloads/run/hosted_node.h"
#include "workloads/run/resources/nic_interval.h"
#include "workloads/run/run_foresight.h"
#include "workloads/run/run_watch.h"
#include "workloads/run/series_so_far.h"
#include "workloads/run/transaction_stream.h"
#include "workloads/run/unfinished.h"
#include "workloads/run/worker_run.h"
#include "workloads/run/worker_sums.h"

namespace verbena::workloads {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct ClusterRun::State {
  State(rdma::Fabric& used_fabric, const Workload& used_workload, const txn::System& used_system,
        RunOptions used_options)
      : fabric(used_fabric),
        workload(used_workload),
        system(used_system),
        options(std::move(used_options)),
        deployment{
            .schema = used_workload.schema(),
            .limits = used_workload.limits(),
            .view = used_system.place({.nodes = used_fabric.nodes(), .replicas = options.replicas}),
            .fibers = options.fibers,
            .record_history = options.record_history},
        window(options.warm_up, options.duration, options.goal),
        check(options.check_history && used_fabric.hosted().size() == used_fabric.nodes()
                  ? std::make_unique<HistoryCheck>(
                        used_workload.schema(), used_system.info(),
                        [&used_fabric](NodeId node) { return used_fabric.moment(node); })
                  : nullptr),
        streams{.seed = options.seed,
                .max_transactions = options.max_transactions,
                .patience = options.patience,
                .latency_until_return = options.latency_until_return,
                .abort_causes = used_system.info().abort_causes,
                .per_worker = {},
                .window = window,
                .check = check.get(),
                .position_ns = used_fabric.has_one_clock() ? nullptr : options.position_ns,
                .stop = options.stop},
        nics(used_fabric) {
    if (options.progress == nullptr) return;
    RunForesight::Forecast forecast;
    if (fabric.has_one_clock()) {
      forecast = [this](Nanoseconds now) { return this->forecast(now); };
    }
    foresight.emplace(*options.progress, window, std::move(forecast));
    if (!fabric.has_one_clock()) streams.foresight = &*foresight;
  }

  void set_up();
  void begin_warm();
  void begin_restored();
  void run_fibers();
  void run_fibers_or_tell();
  rdma::EndpointOptions endpoint_of(NodeId node) const;
  std::uint32_t clients() const;
  void spawn_transactions(HostedNode& node, rdma::Worker& worker);
  void spawn_background(HostedNode& node, rdma::Worker& worker);
  void save_journals();
  bool has_died(const HostedNode& node) const;
  EndForecast forecast(Nanoseconds now) const;
  void tell(RunStage stage) const;
  void tell_done(std::size_t done) const;
  void end_window();
  void tell_partial();
  void merge(RunResult& result);
  void keep_partial(const RunResult& result) const;
  void verify(RunResult& result);
  void gather_from_peers(RunResult& result);
  void take_history(RunResult& result);
  void check_history(RunResult& result);
  ClusterAtRest at_rest() { return {nodes, deployment.view, system.info()}; }

  rdma::Fabric& fabric;
  const Workload& workload;
  const txn::System& system;
  RunOptions options;
  txn::Deployment deployment;
  RunWindow window;
  std::unique_ptr<HistoryCheck> check;  // what it records, suspended fibers may still write to
  StreamOptions streams;
  std::optional<RunForesight> foresight;
  NicInterval nics;
  HostedNodes nodes;
  double setup_wall_seconds = 0;
};

// Leaves out what earlier runs have changed, which is not this one's; and no check knows their
// transactions.
void ClusterRun::State::begin_restored() {
  streams.check = nullptr;
  for (auto& node : nodes) {
    NodeAudit before;
    for (const txn::PartitionId partition : deployment.view.primaries(node->endpoint.node())) {
      add_totals(node->participant->state(), partition, workload, before);
    }
    node->changed_before = before.final_total - before.initial_total;
  }
}

void ClusterRun::State::tell(RunStage stage) const {
  if (options.progress != nullptr) options.progress->enter(stage);
}

// So many nodes have what the stage gives them.
void ClusterRun::State::tell_done(std::size_t done) const {
  if (options.progress != nullptr) options.progress->done(done, fabric.hosted().size());
}

void ClusterRun::State::begin_warm() {
  tell(RunStage::kFillingCaches);
  fabric.begin_warm(options.seed);
  const txn::PastWrites past = past_writes(
      workload, deployment.view, nodes.front()->endpoint.worker(WorkerId{0}), options.seed);
  std::size_t done = 0;
  for (auto& node : nodes) {
    node->participant->begin_warm(past);
    tell_done(++done);
  }
}

void ClusterRun::State::set_up() {
  tell(RunStage::kLoading);
  for (const NodeId node : fabric.hosted()) {
    nodes.push_back(
        std::make_unique<HostedNode>(fabric, node, endpoint_of(node), system, deployment));
    tell_done(nodes.size());
  }
  for (auto& node : nodes) node->endpoint.publish();
  tell(RunStage::kConnecting);
  std::size_t connected = 0;
  for (auto& node : nodes) {
    node->endpoint.connect();
    node->participant->start();
    tell_done(++connected);
  }
  // Elsewhere processes need not have the same seed, from which peers know what is in their rings.
  if (!options.cold_start && fabric.has_one_clock()) begin_warm();
  const auto restored = [](const auto& node) { return node->participant->restored(); };
  if (std::ranges::any_of(nodes, restored)) begin_restored();
}

rdma::EndpointOptions ClusterRun::State::endpoint_of(NodeId node) const {
  rdma::EndpointOptions endpoint = system.endpoint(options.endpoint, deployment, node);
  // Its own messages may be short, those that take one-sided requests to cores are not.
  if (endpoint.requests_by_cores()) {
    endpoint.rpc.max_message_bytes = options.endpoint.rpc.max_message_bytes;
  }
  // Nodes without transactions have finished at once.
  if (!deployment.view.computes(node)) {
    endpoint.drain_timeout += window.until();
  }
  return endpoint;
}

// Workers of the whole cluster that run transactions.
std::uint32_t ClusterRun::State::clients() const {
  std::uint32_t workers = 0;
  for (std::uint32_t n = 0; n < fabric.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (deployment.view.computes(node)) workers += endpoint_of(node).workers;
  }
  return workers;
}

void ClusterRun::State::spawn_transactions(HostedNode& node, rdma::Worker& worker) {
  WorkerRun& shared = node.workers[worker.id()];
  shared.set_up(workload.kinds().size(), options.fibers, clients());
  const txn::Home home = deployment.view.home(worker.node(), worker.id());
  for (std::uint32_t f = 0; f < options.fibers; ++f) {
    // The fiber's, since one that a failed run leaves suspended still uses it while it unwinds.
    worker.spawn([stream = std::make_shared<TransactionStream>(
                      streams, workload, *node.participant, worker, shared, home,
                      static_cast<std::uint16_t>(f))] { stream->run(); });
  }
}

void ClusterRun::State::spawn_background(HostedNode& node, rdma::Worker& worker) {
  for (auto& body : node.participant->background(worker.id())) {
    if (node.endpoint.options().background) {
      worker.spawn_background(std::move(body));
    } else {
      worker.spawn(std::move(body));
    }
  }
}

void ClusterRun::State::run_fibers() {
  streams.per_worker = {.per_second = options.offered.per_second / static_cast<double>(clients()),
                        .poisson = options.offered.poisson};
  std::vector<rdma::CoreTask> tasks;
  WorkerRun* observer = nullptr;
  for (auto& node : nodes) {
    const bool computes = deployment.view.computes(node->endpoint.node());
    if (computes && observer == nullptr) {
      observer = &node->workers.front();
      if (!fabric.has_one_clock()) observer->nics = &nics;
    }
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      const auto id = static_cast<WorkerId>(w);
      rdma::Worker& worker = node->endpoint.worker(id);
      if (computes) {
        spawn_transactions(*node, worker);
      } else {
        worker.spawn(
            [this, id, &worker, &shared = node->workers[w], participant = node->participant.get()] {
              shared.start = worker.now();
              shared.measure(window);
              participant->measure(id, shared.from, shared.until);
            });
      }
      spawn_background(*node, worker);
      tasks.push_back(
          {.node = node->endpoint.node(), .worker = id, .body = [this, &worker](rdma::Core& core) {
             core.tell_points(options.reached);
             for (rdma::CrashPoint* crash : options.crashes) {
               if (crash->node == worker.node()) core.crash_at(crash);
             }
             worker.run(core);
           }});
    }
  }
  if (foresight) foresight->begin();
  std::optional<RunWatch> watch;
  if (observer != nullptr && fabric.has_one_clock()) {
    watch.emplace(RunWatch::Run{.fabric = fabric,
                                .options = options,
                                .system = system.info(),
                                .nodes = nodes,
                                .window = window,
                                .nics = nics,
                                .observer = *observer,
                                .check = streams.check,
                                .foresight = foresight ? &*foresight : nullptr});
    fabric.look_between([&watch](Nanoseconds now) { watch->look(now); });
  }
  fabric.run(std::move(tasks));
  if (foresight) foresight->end();
}

// Runs fibers; if that fails, tells of unfinished transactions: fabrics with threads of their own
// have ended these by then.
void ClusterRun::State::run_fibers_or_tell() {
  try {
    run_fibers();
  } catch (...) {
    if (options.unfinished != nullptr) {
      for (const auto& node : nodes) {
        add_unfinished(node->endpoint.node(), node->workers, workload.kinds(), streams.abort_causes,
                       *options.unfinished);
      }
      put_oldest_first(*options.unfinished);
    }
    throw;
  }
}

// Saves the journals, except of nodes that have died: what they hold is gone.
void ClusterRun::State::save_journals() {
  for (auto& node : nodes) {
    if (!has_died(*node)) node->participant->save_journals();
  }
}

bool ClusterRun::State::has_died(const HostedNode& node) const {
  return std::ranges::any_of(options.crashes, [&](const rdma::CrashPoint* crash) {
    return crash->node == node.endpoint.node() && crash->happened();
  });
}

EndForecast ClusterRun::State::forecast(Nanoseconds now) const {
  const SeriesSoFar series = series_so_far(nodes, now);
  return window.forecast(now, series.course, series.measured, series.oldest, touched_bytes(fabric));
}

// The window is over at the latest when the last stream has ended, or was told to stop.
void ClusterRun::State::end_window() {
  Nanoseconds last = 0;
  for (const auto& node : nodes) {
    for (const WorkerRun& worker : node->workers) {
      if (worker.ended == 0) continue;
      last = std::max(last, (worker.stopped ? worker.until : worker.ended) - worker.start);
    }
  }
  // A process whose nodes only serve has none.
  if (last > 0) window.end(last);
}

// The window ends with the last commit: workers have ended at different times since, by errors.
void ClusterRun::State::tell_partial() {
  if (options.partial == nullptr) return;
  Nanoseconds last = 0;
  for (const auto& node : nodes) {
    for (const WorkerRun& worker : node->workers) last = std::max(last, last_commit(worker));
  }
  if (last == 0) return;
  window.end(window.from() + last);
  RunResult result;
  merge(result);
  keep_partial(result);
}

// It may have been cut off in the midst of what else would not add up.
void ClusterRun::State::keep_partial(const RunResult& result) const {
  if (options.partial == nullptr) return;
  RunResult& kept = options.partial->emplace(result);
  kept.stopped = true;
  kept.unsound.clear();
}

void ClusterRun::State::merge(RunResult& result) {
  end_window();
  Histogram undecided;
  Histogram entered;
  std::vector<const WorkerRun*> workers;
  result.lost = lost_nodes(nodes, fabric.nodes());
  result.system = system.info();
  if (options.latency_until_return) result.system.phases_after_decision.clear();
  result.metrics = txn::Metrics(result.system);
  for (auto& node : nodes) {
    const bool computes = deployment.view.computes(node->endpoint.node());
    const bool lasts =
        computes && std::ranges::find(result.lost, node->endpoint.node()) == result.lost.end();
    if (computes) ++result.computing_nodes;
    if (lasts) ++result.lasting_nodes;
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      const WorkerRun& worker = node->workers[w];
      const txn::Metrics& metrics = node->participant->metrics(static_cast<WorkerId>(w));
      result.metrics.merge(metrics);
      if (lasts) result.committed_by_lasting += metrics.latency.count();
      for (std::string& error : what_does_not_add_up(worker, metrics)) {
        result.unsound.push_back(std::move(error));
      }
      workers.push_back(&worker);
      add_worker(worker, workload.kinds(), result);
      result.latency_batches.add(worker.latencies, worker.from, worker.start + window.until());
      for (const Nanoseconds age : worker.undecided) undecided.record(age);
      for (const Nanoseconds age : worker.entered) entered.record(age);
      undecided.merge(worker.backlog);
    }
  }
  result.nic_counters = nics.counters();
  result.total_nic_counters = nics.total();
  if (options.reached != nullptr) reach_points(result.total_nic_counters, *options.reached);
  result.roles = roles_of(deployment.view);
  result.utilization = nics.utilization(result.roles);
  // Latencies are recorded for exactly those that were decided within the window.
  result.metrics.committed = result.metrics.latency.count();
  result.warm_up = window.from();
  result.duration = window.until() - window.from();
  result.ended_by = window.ended_by();
  result.most_memory_bytes = options.goal.most_memory_bytes;
  result.series = result.series.closed(result.duration);
  result.precision = precision_of(result.series);
  result.survival = Survival(result.metrics.latency, undecided, entered);
  if (result.duration > 0) {
    result.throughput_per_s =
        static_cast<double>(result.metrics.committed) / to_seconds(result.duration);
  }
  for (std::string& error :
       what_does_not_add_up(result, workers, options.duration ? options.warm_up : std::nullopt)) {
    result.unsound.push_back(std::move(error));
  }
  result.trace_digest = fabric.trace_digest();
  result.thread_bounds = fabric.thread_bounds();
}

void ClusterRun::State::verify(RunResult& result) {
  result.verification = at_rest().verify(result.lost, workload, fabric.rendezvous(),
                                         options.endpoint.bring_up_timeout);
  auto& errors = result.verification.errors;
  errors.insert(errors.end(), result.unsound.begin(), result.unsound.end());
}

// Peers may be lost after they have measured, too; then what is kept is told.
void ClusterRun::State::gather_from_peers(RunResult& result) {
  const bool all_have_died =
      std::ranges::all_of(nodes, [&](const auto& node) { return has_died(*node); });
  if (!all_have_died) gather(fabric, result, options.endpoint.bring_up_timeout);
  if (options.partial != nullptr) options.partial->reset();
}

void ClusterRun::State::take_history(RunResult& result) {
  for (auto& node : nodes) {
    for (std::uint32_t w = 0; w < node->endpoint.workers(); ++w) {
      const txn::History* own = node->participant->history(static_cast<WorkerId>(w));
      if (own != nullptr) result.history.append(*own);
    }
  }
}

void ClusterRun::State::check_history(RunResult& result) {
  at_rest().finish(*check, result.lost);
  result.replayed = check->replayed();
  result.undecided = check->undecided();
  result.anomaly = check->anomaly();
}

ClusterRun::ClusterRun(rdma::Fabric& fabric, const Workload& workload, const txn::System& system,
                       RunOptions options)
    : state_((check_fits(system.info(), workload, options),
              std::make_unique<State>(fabric, workload, system, std::move(options)))) {
  const Clock::time_point start = Clock::now();
  state_->set_up();
  state_->setup_wall_seconds = seconds_since(start);
}

ClusterRun::~ClusterRun() = default;

std::unique_ptr<HistoryCheck> ClusterRun::release_check() {
  if (state_->check == nullptr) return nullptr;
  state_->at_rest().keep_published(*state_->check);
  return std::move(state_->check);
}

std::vector<std::uint32_t> ClusterRun::published() { return state_->at_rest().published(); }

std::optional<txn::Anomaly> ClusterRun::compare(HistoryCheck& recorded) {
  state_->at_rest().finish(recorded, {});
  return recorded.anomaly();
}

RunResult ClusterRun::run() {
  RunResult result;
  result.setup_wall_seconds = state_->setup_wall_seconds;
  const Clock::time_point start = Clock::now();
  try {
    state_->run_fibers_or_tell();
    // The watcher need not wait for it to get on any more: what comes now takes what it takes.
    if (state_->options.position_ns != nullptr) {
      state_->options.position_ns->store(kNever.count(), std::memory_order_relaxed);
    }
  } catch (const PeerMissing&) {
    state_->save_journals();
    state_->tell_partial();
    throw;
  }
  result.run_wall_seconds = seconds_since(start);
  state_->merge(result);
  state_->keep_partial(result);
  if (state_->options.verify) state_->verify(result);
  state_->gather_from_peers(result);
  if (!result.unsound.empty() && !state_->options.verify) {
    throw std::logic_error(result.unsound.front());
  }
  for (const txn::TableDefinition& table : state_->workload.schema()) {
    result.tables.push_back(table.name);
  }
  if (state_->options.record_history) state_->take_history(result);
  if (state_->streams.check != nullptr) state_->check_history(result);
  return result;
}

}  // namespace verbena::workloads
