// Words for options.
#include "experiments/report/configuration_text.h"

#include <fmt/format.h>

#include "experiments/config/units.h"
#include "simnic/topology_spec.h"

namespace verbena::experiments {
namespace {

// Values that are not the usual ones, as flags or keys spell them.
std::string workload_text(const RunCommand& command) {
  std::vector<std::string> details;
  for (const Parameter& parameter : command.factory->parameters()) {
    if (parameter.flag.empty() || value_text(parameter) == "auto") continue;
    details.push_back(fmt::format("{} {}", parameter.flag, value_text(parameter)));
  }
  return command.workload + (details.empty() ? "" : fmt::format(" ({})", fmt::join(details, ", ")));
}

std::string task_text(const RunCommand& command) {
  return fmt::format("{} on {}{}, {} replicas", workload_text(command), command.system,
                     command.plan_changes.empty() ? "" : " with " + command.plan_changes,
                     command.run.replicas);
}

std::string objects_text(const BenchOptions& bench) {
  if (bench.objects == 1) return "";
  return fmt::format(
      " of {} objects, {}, {}{}", bench.objects, bench.two_sided ? "two-sided" : "one-sided",
      bench.outstanding ? "all at once" : "one by one", bench.passive ? ", passive" : "");
}

std::string task_text(const BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  std::string text = command.record.operation + objects_text(bench);
  text += fmt::format(" of {} B", bench.payload_bytes);
  if (bench.request_bytes != bench.payload_bytes) {
    text += fmt::format(" for {} B", bench.request_bytes);
  }
  if (command.raw_loop) text += ", raw loop";
  if (bench.transport == rdma::Transport::kUnreliable) text += " over uc";
  if (bench.rounds) text += ", rounds";
  if (bench.threads_per_queue_pair > 1) {
    text += fmt::format(", {} threads per queue pair", bench.threads_per_queue_pair);
  }
  text +=
      fmt::format(", window {}, doorbell {}, {} clients", bench.window,
                  bench.doorbell == rdma::Doorbell::kBatched ? "batched" : "each", bench.clients);
  if (bench.servers < command.cluster.nodes) text += fmt::format(", {} servers", bench.servers);
  return text;
}

std::string context_text(const ConfigurationRecord& record) {
  const auto& context = std::get<std::string>(record.values.at("context"));
  return context == "dedicated" ? "" : ", context " + context;
}

// NICs and CPUs; those of other nodes too.
std::string machines_text(const FabricCommand& command) {
  const FabricOptions& fabric = command.fabric;
  std::string text =
      fmt::format("{} x {}, {}", command.cluster.endpoint.nics, fabric.nic, fabric.cpu);
  if (fabric.other_nodes.empty()) return text;
  text += fmt::format(", nodes {} with", fabric.other_nodes);
  for (const std::string& other : {fabric.other_nic, fabric.other_cpu}) {
    if (!other.empty()) text += " " + other;
  }
  return text;
}

std::string place_text(const FabricCommand& command) {
  const ClusterOptions& cluster = command.cluster;
  const FabricOptions& fabric = command.fabric;
  const rdma::EndpointOptions& endpoint = cluster.endpoint;
  std::string shape = fmt::format("{} nodes x {} threads x {} coroutines", cluster.nodes,
                                  endpoint.workers, cluster.coroutines);
  if (endpoint.qps_per_peer > 1) {
    shape += fmt::format(", {} queue pairs per peer at random", endpoint.qps_per_peer);
  }
  const std::string hardware =
      fabric.simulated
          ? fmt::format("{}, {}, simulated", machines_text(command), network_text(command))
          : fmt::format("verbs{}", fabric.device.empty() ? "" : " on " + fabric.device);
  return fmt::format("{}{}; {}; {}seed {}", shape, context_text(command.record), hardware,
                     fabric.chaos ? "chaos, " : "", cluster.seed);
}

}  // namespace

std::string network_text(const FabricCommand& command) {
  const FabricOptions& fabric = command.fabric;
  if (!fabric.platform.empty()) return printable(fabric.platform);
  return simnic::parse_topology(fabric.topology, command.cluster.nodes,
                                command.cluster.endpoint.nics)
      .text();
}

std::string configuration_text(const RunCommand& command) {
  return fmt::format("{}; {}", task_text(command), place_text(command));
}

std::string configuration_text(const BenchCommand& command) {
  return fmt::format("{}; {}", task_text(command), place_text(command));
}

}  // namespace verbena::experiments
