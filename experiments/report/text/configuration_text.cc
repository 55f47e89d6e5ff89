// Words for options.
#include "experiments/report/text/configuration_text.h"

#include <fmt/format.h>

#include "experiments/config/keys/units.h"
#include "rdma/base/text/counted.h"
#include "simnic/profile/profile.h"
#include "simnic/wire/topology_spec.h"
#include "txn/registry/load_system.h"

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

// Chains of others' go as the system or operation has them.
const char* chains_text(const FabricCommand& command, bool has_chains) {
  const bool by_nics = command.cluster.endpoint.prism == rdma::PrismMode::kNic;
  return has_chains && by_nics ? ", chains by NICs" : "";
}

std::string task_text(const RunCommand& command) {
  const bool has_chains = txn::protocol_of_system(command.system).starts_with("prism-");
  return fmt::format("{} on {}{}{}, {}", workload_text(command), command.system,
                     command.plan_changes.empty() ? "" : " with " + command.plan_changes,
                     chains_text(command, has_chains), counted(command.run.replicas, "replica"));
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
  text += chains_text(command, is_prism(bench.operation));
  if (command.raw_loop) text += ", raw loop";
  if (bench.transport == rdma::Transport::kUnreliable) text += " over uc";
  if (bench.rounds) text += ", rounds";
  if (bench.threads_per_queue_pair > 1) {
    text += fmt::format(", {} threads per queue pair", bench.threads_per_queue_pair);
  }
  text += fmt::format(", window {}, doorbell {}, {}", bench.window,
                      bench.doorbell == rdma::Doorbell::kBatched ? "batched" : "each",
                      counted(bench.clients, "client"));
  if (bench.servers < command.cluster.nodes) text += ", " + counted(bench.servers, "server");
  return text;
}

std::string context_text(const ConfigurationRecord& record) {
  const auto& context = std::get<std::string>(record.values.at("context"));
  return context == "dedicated" ? "" : ", context " + context;
}

// A profile's name, and whether it is an estimate.
std::string name_text(const char* kind, const std::string& name) {
  return simnic::profile_info(kind, name).estimate ? name + " (estimate)" : name;
}

double gbps(simnic::ByteTime rate) { return 8e3 * 1024 / static_cast<double>(rate); }

// The lesser PCIe that the host lets the NIC have; empty when the NIC has all of its own.
std::string pcie_text(const std::string& nic, const std::string& cpu,
                      const simnic::Options& constants) {
  const simnic::NicProfile profile = simnic::load_nic_profile(nic, constants);
  const simnic::PcieLink link =
      simnic::pcie_link(profile, simnic::load_cpu_profile(cpu, constants));
  const simnic::PcieLink most{.lanes = profile.pcie_lanes, .lane_rate = profile.pcie_lane_rate};
  if (link.rate() == most.rate()) return "";
  return fmt::format(" with PCIe of {:.0f} instead of {:.0f} Gb/s", gbps(link.rate()),
                     gbps(most.rate()));
}

// NICs and hosts; those of other nodes too.
std::string machines_text(const FabricCommand& command) {
  const FabricOptions& fabric = command.fabric;
  std::string text = name_text("nic", fabric.nic) + ", " + name_text("cpu", fabric.cpu) +
                     pcie_text(fabric.nic, fabric.cpu, fabric.constants);
  if (fabric.other_nodes.empty()) return text;
  text += fmt::format(", nodes {} with", fabric.other_nodes);
  if (!fabric.other_nic.empty()) text += " " + name_text("nic", fabric.other_nic);
  if (!fabric.other_cpu.empty()) text += " " + name_text("cpu", fabric.other_cpu);
  return text + pcie_text(fabric.other_nic.empty() ? fabric.nic : fabric.other_nic,
                          fabric.other_cpu.empty() ? fabric.cpu : fabric.other_cpu,
                          fabric.constants);
}

std::string place_text(const FabricCommand& command) {
  const ClusterOptions& cluster = command.cluster;
  const FabricOptions& fabric = command.fabric;
  const rdma::EndpointOptions& endpoint = cluster.endpoint;
  std::string shape =
      fmt::format("{} x {} x {}", counted(cluster.nodes, "node"),
                  counted(endpoint.workers, "thread"), counted(cluster.coroutines, "coroutine"));
  if (endpoint.qps_per_peer > 1) {
    shape += fmt::format(", {} queue pairs per peer at random", endpoint.qps_per_peer);
  }
  if (endpoint.requests_by_cores()) shape += ", one-sided requests by the peers' cores";
  const std::string hardware =
      fabric.simulated
          ? fmt::format("{} x {}, simulated", endpoint.nics, hardware_text(command))
          : fmt::format("verbs{}", fabric.device.empty() ? "" : " on " + fabric.device);
  return fmt::format("{}{}; {}; {}seed {}", shape, context_text(command.record), hardware,
                     fabric.chaos ? "chaos, " : "", cluster.seed);
}

}  // namespace

std::string hardware_text(const FabricCommand& command) {
  const FabricOptions& fabric = command.fabric;
  std::string text = machines_text(command);
  if (fabric.platform.empty()) {
    const std::string switches =
        fabric.switches.empty() ? simnic::profile_info("nic", fabric.nic).fabric : fabric.switches;
    text += ", " + name_text("fabric", switches);
  }
  return text + ", " + network_text(command);
}

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
