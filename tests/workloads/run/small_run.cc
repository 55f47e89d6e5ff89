// Setting up short runs.
#include "tests/workloads/run/small_run.h"

#include "tests/workloads/run/set_parameter.h"
#include "txn/occ/node/measures.h"
#include "txn/occ/system.h"

namespace verbena::testing {

namespace {

std::unique_ptr<workloads::Workload> make_small(const SmallRun& run,
                                                const workloads::ClusterSize& shape) {
  const auto factory = workloads::workload_factory(run.workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  if (run.as_published && run.workload.starts_with("tpcc")) {
    set_parameter(*factory, "order_lines", "one-by-one");
  }
  for (const auto& [name, value] : run.parameters) set_parameter(*factory, name, value);
  return factory->make(shape);
}

}  // namespace

workloads::RunResult run_small(const SmallRun& run) {
  FabricShape shape{.nodes = run.nodes, .workers = 2, .seed = run.seed, .chaos = run.chaos};
  if (run.ud_loss > 0) {
    shape.overrides = {{"fabric.ud_loss", std::to_string(run.ud_loss)},
                       {"fabric.ud_duplicate", std::to_string(run.ud_loss)},
                       {"fabric.ud_reorder", std::to_string(run.ud_loss)}};
  }
  const auto fabric = make_fabric(shape);
  const bool apart = run.servers > 0;
  const auto workload =
      make_small(run, {.partitions = apart ? run.servers : shape.nodes, .workers = shape.workers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  if (!on_hardware()) {
    // A fiber that waits for a lost datagram holds locks.
    options.endpoint.rpc.timeout = 50 * kMicrosecond;
    options.endpoint.rpc.ack_delay = 10 * kMicrosecond;
  }
  options.fibers = by_fabric(4U, 2U);
  options.replicas = apart ? 1 : 3;
  options.duration = by_fabric(run.duration, 60 * kSecond);
  options.max_transactions = by_fabric(0, 10);
  options.seed = run.seed;
  options.check_history = true;
  txn::occ::Options used{
      {.plan = run.plan, .servers = run.servers, .warm_location_cache = run.seed % 2 == 0},
      run.workers};
  if (run.as_published) {
    used.plan.whole_log = used.plan.log_own_backups = used.plan.log_again = true;
    // Rings as long as those of the figures, too.
    if (run.seed % 4 < 2) used.log_ring_bytes = 65536;
    used.execution_is_remote_reads = true;
    options.endpoint.rpc.flush = rdma::MessageFlush::kAtOnce;
    options.endpoint.turn_time = kSecond;
    options.endpoint.poll_batch = 64;
    options.latency_until_return = true;
  }
  const txn::occ::System system(used);
  return workloads::ClusterRun(*fabric, *workload, system, options).run();
}

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  if (!result.verification.ok()) return result.verification.errors[0];
  return anomaly_text(result.anomaly);
}

std::uint64_t conflicts(const workloads::RunResult& result) {
  std::uint64_t attempts = 0;
  for (std::size_t cause = 0; cause < result.metrics.aborted.size(); ++cause) {
    if (txn::AbortCause(cause) == txn::occ::Abort::kRolledBack) continue;
    attempts += result.metrics.aborted[cause];
  }
  return attempts;
}

}  // namespace verbena::testing
