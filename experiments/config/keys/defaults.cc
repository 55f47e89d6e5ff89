// The cluster of the DrTM+H paper, or a small one of real machines.
#include "experiments/config/keys/defaults.h"

#include <algorithm>

#include "experiments/config/keys/hunt_parameters.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

// Before a window of fixed length, on the simulation.
constexpr Nanoseconds kUsualWarmup = 500 * kMicrosecond;

void set_cluster_defaults(FabricCommand& command, std::uint32_t hardware_nodes) {
  ClusterOptions& cluster = command.cluster;
  cluster.coroutines = 8;
  if (command.fabric.simulated) {
    // Section 3: 16 nodes, 24 threads, 2 ConnectX-4 each.
    cluster.nodes = 16;
    cluster.endpoint.workers = 24;
    cluster.endpoint.nics = 2;
    cluster.duration = 2 * kMillisecond;
    cluster.warmup = kUsualWarmup;
  } else {
    const std::size_t peers = command.fabric.peer_list().size();
    cluster.nodes = peers != 0 ? static_cast<std::uint32_t>(peers) : hardware_nodes;
    cluster.endpoint.workers = 1;
    cluster.endpoint.nics = 1;
    cluster.duration = 2 * kSecond;
    cluster.warmup = 200 * kMillisecond;
  }
}

void derive_cluster(ClusterOptions& cluster, const Said& said) {
  if (said.contains("nics-per-node")) return;
  cluster.endpoint.nics = std::min(cluster.endpoint.nics, cluster.endpoint.workers);
}

void complete_endpoint(FabricCommand& command) {
  rdma::EndpointOptions& endpoint = command.cluster.endpoint;
  endpoint.seed = command.cluster.seed;
  endpoint.devices = command.fabric.device_choices(endpoint.nics);
}

// The paper's machines have two NICs and lock by either. On hardware that has to be asked for,
// since nothing makes the atomics of two NICs exclude each other; chaos mode shows just that.
void follow_fabric(RunCommand& command, const Said& said) {
  std::vector<std::pair<Parameter, std::string>> kept;
  for (txn::ParameterSection& section : command.loaded_system->parameters()) {
    for (Parameter& parameter : section.parameters) {
      if (!said.contains(section.name + "." + parameter.name)) continue;
      std::string text = value_text(parameter);
      kept.emplace_back(std::move(parameter), std::move(text));
    }
  }
  command.loaded_system->set_defaults(
      {.atomics_exclude_across_nics = command.fabric.simulated && !command.fabric.chaos});
  for (const auto& [parameter, text] : kept) assign(parameter, text);
}

}  // namespace

void load_owners(RunCommand& command) {
  command.loaded_system = txn::load_system(command.system);
  command.factory = workloads::workload_factory(command.workload);
}

void set_defaults(RunCommand& command) {
  constexpr std::uint32_t kHardwareNodes = 3;
  set_cluster_defaults(command, kHardwareNodes);
  const bool replicates = command.loaded_system->info().replicates;
  command.run.replicas = replicates ? std::min(command.cluster.nodes, 3U) : 1;
  command.run.verify = false;
  if (command.fabric.simulated) command.cluster.duration = command.cluster.warmup = std::nullopt;
  follow_fabric(command, {});
}

void set_defaults(BenchCommand& command) {
  constexpr std::uint32_t kHardwareNodes = 2;
  set_cluster_defaults(command, kHardwareNodes);
  BenchOptions& bench = command.bench;
  const Operation operation = bench.operation;
  const bool call = is_call(operation);
  const bool several = operation == Operation::kMultiRead || operation == Operation::kMultiWrite;
  const bool batched = operation == Operation::kSend || call || is_prism(operation);
  const bool simulated = command.fabric.simulated;
  bench.payload_bytes = bench.request_bytes = is_atomic(operation)                ? 8
                                              : operation == Operation::kPrismCas ? 16
                                              : call                              ? 32
                                                                                  : 64;
  bench.doorbell = batched ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  if (operation == Operation::kWriteRpc) {
    command.cluster.endpoint.rpc.transport = rdma::MessagePath::kWriteRing;
  }
  bench.window = simulated && !several ? 4 : 1;
  bench.objects = several ? 10 : 1;
  bench.clients = simulated ? command.cluster.nodes : 1;
  bench.servers = command.cluster.nodes;
  command.cluster.coroutines = simulated ? 4 : 1;
}

void set_defaults(ExplainCommand& command) {
  ClusterOptions& cluster = command.cluster;
  cluster.nodes = 2;
  cluster.endpoint.nics = 1;
  cluster.endpoint.workers = 16;  // so that a node may have as many NICs
  const std::string& operation = command.record.operation;
  command.payload = operation == "cas" || operation == "faa" ? 8
                    : operation == "prism-cas"               ? 16
                                                             : 64;
}

void set_defaults(DoctorCommand& command) { command.fabric.simulated = false; }

void derive(RunCommand& command, const Said& said) {
  derive_cluster(command.cluster, said);
  if (!said.contains("replicas") && !command.loaded_system->info().replicates) {
    command.run.replicas = 1;
  }
  if (command.cluster.duration && !said.contains("warmup") && command.fabric.simulated) {
    command.cluster.warmup = kUsualWarmup;
  }
  if (command.run.verify && !command.cluster.duration && !said.contains("max-commits")) {
    command.run.goal.most_commits = kVerifiedCommits;
  }
  follow_fabric(command, said);
}

void derive(BenchCommand& command, const Said& said) {
  derive_cluster(command.cluster, said);
  BenchOptions& bench = command.bench;
  const std::uint32_t nodes = command.cluster.nodes;
  if (command.fabric.simulated && !said.contains("clients")) {
    const bool divided = said.contains("servers") && bench.servers < nodes;
    bench.clients = divided ? nodes - bench.servers : nodes;
  }
  if (!said.contains("servers")) bench.servers = nodes;
  if (!said.contains("request-payload")) bench.request_bytes = bench.payload_bytes;
  if (command.raw_loop && !said.contains("coroutines")) command.cluster.coroutines = 1;
}

void derive(ExplainCommand& command, const Said& said) { derive_cluster(command.cluster, said); }

void complete(RunCommand& command) {
  complete_endpoint(command);
  workloads::RunOptions& run = command.run;
  try {
    if (!command.plan_changes.empty()) command.loaded_system->change(command.plan_changes);
  } catch (const ConfigurationError& error) {
    throw ParameterError("plan", command.plan_changes, error.what());
  }
  run.endpoint = command.cluster.endpoint;
  run.fibers = command.cluster.coroutines;
  run.warm_up = command.cluster.warmup;
  run.duration = command.cluster.duration;
  run.goal.half_width = command.precision_percent / 100;
  run.seed = command.cluster.seed;
  // A process that hosts some of the nodes does not know who wrote what it read: no check then.
  run.check_history = run.verify && command.fabric.peers.empty();
  run.record_history = !command.output.history.empty();
}

void complete(BenchCommand& command) {
  complete_endpoint(command);
  BenchOptions& bench = command.bench;
  bench.fibers = command.cluster.coroutines;
  bench.warm_up = command.cluster.warmup.value();
  bench.duration = command.cluster.duration.value();
  bench.seed = command.cluster.seed;
  bench.servers_sleep = !command.fabric.simulated;
}

void complete(HuntCommand& command) {
  const std::optional<HuntedSeeds> seeds = parse_seeds(command.seeds_text);
  if (!seeds) return;
  command.seeds = seeds->count;
  if (seeds->first) command.first_seed = *seeds->first;
}

}  // namespace verbena::experiments
