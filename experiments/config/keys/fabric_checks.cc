// Networks, peers, constants and files that go together.
#include "experiments/config/keys/fabric_checks.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/text/counted.h"
#include "simnic/profile/profile.h"
#include "simnic/wire/topology_spec.h"

namespace verbena::experiments {
namespace {

void check_peers(const FabricCommand& command, const Said& said) {
  const FabricOptions& fabric = command.fabric;
  const std::uint32_t nodes = command.cluster.nodes;
  const std::size_t peers = fabric.peer_list().size();
  const bool has_number = said.contains("node");
  if (peers == 0) {
    if (!has_number) return;
    throw ParameterError("node", std::to_string(fabric.node),
                         "needs --peers, the addresses of all nodes");
  }
  if (peers != nodes) {
    throw ConflictError({"peers", "nodes"}, fmt::format("--peers names {}, but --nodes is {}",
                                                        counted(peers, "node"), nodes));
  }
  if (!has_number) {
    throw ConflictError({"peers"}, "--peers: needs --node, which of them this process is");
  }
  if (fabric.node >= nodes) {
    throw ParameterError("node", std::to_string(fabric.node),
                         fmt::format("expected a whole number from 0 to {}", nodes - 1));
  }
}

// Profiles that are files can be read, which need not wait for what is measured.
void check_profiles(const FabricOptions& fabric) {
  try {
    if (fabric.nic.ends_with(".toml")) simnic::load_nic_profile(fabric.nic, {});
    if (fabric.cpu.ends_with(".toml")) simnic::load_cpu_profile(fabric.cpu, {});
    if (fabric.switches.ends_with(".toml")) simnic::load_fabric_profile(fabric.switches, {});
    if (!fabric.other_nic.empty()) simnic::load_nic_profile(fabric.other_nic, {});
    if (!fabric.other_cpu.empty()) simnic::load_cpu_profile(fabric.other_cpu, {});
  } catch (const ConfigurationError& error) {
    throw ConflictError({"nic", "cpu", "switch", "other-nic", "other-cpu"}, error.what());
  }
}

void check_other_nodes(const FabricCommand& command) {
  const FabricOptions& fabric = command.fabric;
  if (fabric.other_nodes.empty()) {
    const std::string why = "needs --other-nodes, which have it";
    if (!fabric.other_nic.empty()) throw ParameterError("other-nic", fabric.other_nic, why);
    if (!fabric.other_cpu.empty()) throw ParameterError("other-cpu", fabric.other_cpu, why);
    return;
  }
  if (fabric.other_nic.empty() && fabric.other_cpu.empty()) {
    throw ParameterError("other-nodes", fabric.other_nodes,
                         "needs --other-nic or --other-cpu, or both");
  }
  const std::uint32_t nodes = command.cluster.nodes;
  if (parse_node_range(fabric.other_nodes)->second < nodes) return;
  throw ParameterError("other-nodes", fabric.other_nodes,
                       fmt::format("expected a node or FIRST-LAST, from 0 to {}", nodes - 1));
}

// A platform has links of its own: what is said of ours would count for nothing.
void check_platform(const FabricOptions& fabric, const Said& said) {
  if (said.contains("topology")) {
    throw ParameterError("platform", fabric.platform,
                         fmt::format("excludes --topology {}", fabric.topology));
  }
  if (said.contains("switch")) {
    throw ParameterError("platform", fabric.platform,
                         fmt::format("excludes --switch {}", fabric.switches));
  }
  for (const char* key :
       {"fabric.link_gbps", "fabric.link_latency_ns", "fabric.switch_latency_ns"}) {
    if (!fabric.constants.value(key)) continue;
    throw ConflictError(
        {key, "platform"},
        fmt::format("{}: does not apply to --platform, whose file says what its links have", key));
  }
}

void check_network(const FabricCommand& command, const Said& said) {
  const FabricOptions& fabric = command.fabric;
  if (!fabric.platform.empty()) return check_platform(fabric, said);
  try {
    simnic::parse_topology(fabric.topology, command.cluster.nodes, command.cluster.endpoint.nics);
  } catch (const ConfigurationError& error) {
    throw ConflictError({"topology", "nodes", "nics-per-node"},
                        fmt::format("--{}", printable(error.what(), 500)));
  }
}

// Constants of datagrams, for who sends none.
void check_datagrams(const FabricOptions& fabric, bool sent) {
  for (const char* key : {"fabric.ud_loss", "fabric.ud_duplicate", "fabric.ud_reorder",
                          "fabric.ud_reorder_delay_ns"}) {
    if (sent || !fabric.constants.value(key)) continue;
    throw ConflictError({key},
                        fmt::format("{}: applies to datagrams only, and none are sent here", key));
  }
}

// Constants that nothing uses as long as something else is left out.
void check_constants(const FabricOptions& fabric, bool may_be_chaotic) {
  for (const char* key : {"fabric.chaos_preempt", "fabric.chaos_jitter_ns",
                          "fabric.chaos_interrupt_ns", "fabric.chaos_meet"}) {
    if (!fabric.constants.value(key) || fabric.chaos) continue;
    throw ConflictError(
        {key}, fmt::format("{}: {}", key,
                           may_be_chaotic ? "needs --chaos"
                                          : "does not apply to explain, which has no --chaos"));
  }
  constexpr const char* kLoss = "fabric.rc_loss";
  if (fabric.constants.value(kLoss) && !may_be_chaotic) {
    throw ConflictError({kLoss}, fmt::format("{}: does not apply to explain, which follows what "
                                             "arrives",
                                             kLoss));
  }
  constexpr const char* kDelay = "fabric.ud_reorder_delay_ns";
  if (fabric.constants.value(kDelay) && !fabric.constants.value("fabric.ud_reorder") &&
      !fabric.constants.value("fabric.ud_duplicate")) {
    throw ConflictError(
        {kDelay},
        fmt::format(
            "{}: needs fabric.ud_reorder or fabric.ud_duplicate; without them no datagram is late",
            kDelay));
  }
}

void check_output(FabricCommand& command, const Said& said) {
  const OutputOptions& output = command.output;
  for (const char* key : {"trace-limit", "trace-from"}) {
    if (output.trace.empty() && said.contains(key)) command.refuse(key, "needs --trace");
  }
  const std::array<std::pair<const char*, const std::string*>, 4> files = {
      {{"json", &output.json},
       {"trace", &output.trace},
       {"history", &output.history},
       {"reached", &output.reached}}};
  for (auto later = files.begin() + 1; later != files.end(); ++later) {
    for (auto earlier = files.begin(); earlier != later; ++earlier) {
      const bool both = !later->second->empty() && !earlier->second->empty();
      if (!both || !is_same_file(*later->second, *earlier->second)) continue;
      command.refuse(later->first, fmt::format("--{} writes the same file", earlier->first));
    }
  }
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto canonical = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  };
  // Devices, such as /dev/null, take everything.
  return !a.starts_with("/dev/") && canonical(a) == canonical(b);
}

void check_fabric(FabricCommand& command, const Said& said, bool may_be_chaotic,
                  bool sends_datagrams) {
  const rdma::EndpointOptions& endpoint = command.cluster.endpoint;
  if (endpoint.nics > endpoint.workers) {
    throw ConflictError({"nics-per-node", "threads"},
                        fmt::format("--nics-per-node {} is more than --threads {}", endpoint.nics,
                                    endpoint.workers));
  }
  check_output(command, said);
  if (!command.fabric.simulated) return check_peers(command, said);
  check_other_nodes(command);
  check_profiles(command.fabric);
  check_network(command, said);
  check_constants(command.fabric, may_be_chaotic);
  check_datagrams(command.fabric, sends_datagrams);
}

}  // namespace verbena::experiments
