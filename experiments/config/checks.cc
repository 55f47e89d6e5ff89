// Checks command by command.
#include "experiments/config/checks.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

#include "experiments/config/fault_checks.h"
#include "experiments/config/keys/defaults.h"
#include "experiments/config/keys/hunt_parameters.h"
#include "experiments/config/keys/key.h"
#include "experiments/config/keys/refusal.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/text/counted.h"
#include "simnic/profile.h"
#include "simnic/topology_spec.h"

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

// True if anything is sent that a fabric may lose.
bool sends_datagrams(const RunCommand& command) {
  return !command.cluster.endpoint.writes_messages();
}
bool sends_datagrams(const BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  const bool messages = is_call(bench.operation) || is_prism(bench.operation) || bench.two_sided ||
                        bench.operation == Operation::kSend ||
                        command.cluster.endpoint.requests_by_cores();
  return messages && !command.cluster.endpoint.writes_messages();
}
bool sends_datagrams(const ExplainCommand& command) {
  return command.record.operation == "send" ||
         (command.is_call() && command.record.operation != "write-rpc");
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
        fmt::format("{}: needs fabric.ud_reorder or fabric.ud_duplicate, or no datagram is late",
                    kDelay));
  }
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto canonical = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  };
  // Devices, such as /dev/null, take everything.
  return !a.starts_with("/dev/") && canonical(a) == canonical(b);
}

template <typename AnyOf>
void check_output(const AnyOf& command, const Said& said) {
  const OutputOptions& output = command.output;
  for (const char* key : {"trace-limit", "trace-from"}) {
    if (output.trace.empty() && said.contains(key)) refuse(command, key, "needs --trace");
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
      refuse(command, later->first, fmt::format("is the file of --{} too", earlier->first));
    }
  }
}

// Conditions that all three commands have in common.
template <typename AnyOf>
void check_common(const AnyOf& command, const Said& said, bool may_be_chaotic) {
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
  check_datagrams(command.fabric, sends_datagrams(command));
}

// Parameters of the workload that do not fit the cluster.
void check_workload(const RunCommand& command) {
  try {
    command.factory->check(workload_size(command));
  } catch (const ConfigurationError& error) {
    std::vector<std::string> names = {"workload", "nodes", "threads"};
    for (const Key& key : known_keys(Command::kRun)) {
      if (!key.workloads.empty()) names.push_back(key.name());
    }
    throw ConflictError(std::move(names), error.what());
  }
}

void check_roles(const BenchCommand& command) {
  const std::uint32_t nodes = command.cluster.nodes;
  const std::uint32_t clients = command.bench.clients;
  const std::uint32_t servers = command.bench.servers;
  for (const auto& [name, count] : {std::pair("clients", clients), std::pair("servers", servers)}) {
    if (count <= nodes) continue;
    throw ConflictError({name, "nodes"},
                        fmt::format("--{} {} is more than --nodes {}", name, count, nodes));
  }
  if (servers == 1 && clients == nodes && nodes > 1) {
    refuse(command, "servers",
           fmt::format("the only server, node {}, is a client too; --clients {} leaves it out",
                       nodes - 1, nodes - 1));
  }
}

bool is_one_sided(Operation operation) {
  return operation == Operation::kRead || operation == Operation::kWrite || is_atomic(operation);
}

// Refuses values that another kind of loop or operation has.
void check_loop(const BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  const std::string& name = command.record.operation;
  const bool raw = command.raw_loop;
  if (raw && !is_one_sided(bench.operation)) {
    refuse(command, "loop", fmt::format("{} is not one-sided", name));
  }
  if (raw && command.cluster.coroutines != 1) {
    refuse(command, "coroutines", "--loop raw has no coroutines");
  }
  if (raw && command.cluster.endpoint.requests_by_cores()) {
    refuse(command, "prism", "--loop raw posts to queue pairs itself, which are the NIC's");
  }
  if (!raw && bench.rounds) {
    refuse(command, "rounds", "the windows of --loop fibers are waited for whole anyway");
  }
  if (!raw && bench.threads_per_queue_pair > 1) {
    refuse(command, "threads-per-queue-pair", "only threads of --loop raw can share queue pairs");
  }
  if (bench.transport == rdma::Transport::kUnreliable &&
      !(raw && bench.operation == Operation::kWrite)) {
    refuse(command, "transport", "only write with --loop raw can use it");
  }
  const bool calls = is_call(bench.operation) || is_prism(bench.operation) || bench.two_sided;
  if (calls && command.cluster.nodes == 1) {
    refuse(command, "nodes", fmt::format("{} calls another node", name));
  }
  if (!is_call(bench.operation) && bench.request_bytes != bench.payload_bytes) {
    refuse(command, "request-payload", fmt::format("{} has one payload only", name));
  }
  if (bench.operation == Operation::kWriteRpc && !command.cluster.endpoint.writes_messages()) {
    refuse(command, "rdma.rpc_transport", "write-rpc is rpc over write-ring");
  }
}

// Refuses values that only operations on several objects have, or that do not fit these.
void check_objects(const BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  const std::string& name = command.record.operation;
  if (bench.operation != Operation::kMultiRead && bench.operation != Operation::kMultiWrite) {
    const std::string why =
        fmt::format("{} is of one object; multi-read and multi-write are of several", name);
    if (bench.objects != 1) refuse(command, "objects", why);
    if (bench.two_sided) refuse(command, "primitive", why);
    if (bench.outstanding) refuse(command, "outstanding", why);
    if (bench.passive) refuse(command, "passive", why);
    return;
  }
  if (bench.window != 1) {
    refuse(command, "window", fmt::format("{} has --objects and --outstanding instead", name));
  }
  if (bench.passive && bench.operation == Operation::kMultiRead) {
    refuse(command, "passive", "a read's data is waited for");
  }
  if (bench.outstanding) return;
  if (bench.passive) refuse(command, "passive", "needs --outstanding");
  if (bench.doorbell == rdma::Doorbell::kBatched) {
    refuse(command, "doorbell", "needs --outstanding, several requests in flight at once");
  }
}

// Refuses values that only count where the run finds out something, if it is not asked to.
void check_limits(const RunCommand& command) {
  // A document of results says all, and most of it as it is anyway.
  const RunCommand usual;
  const workloads::PrecisionGoal& goal = command.run.goal;
  if (command.cluster.duration) {
    const std::string why = "is of --duration auto, and --duration is a time";
    const bool finds = !command.cluster.warmup;
    if (command.precision_percent != usual.precision_percent) refuse(command, "precision", why);
    if (!finds && goal.longest != usual.run.goal.longest) refuse(command, "max-duration", why);
    const bool usual_commits =
        goal.most_commits == usual.run.goal.most_commits || goal.most_commits == kVerifiedCommits;
    if (!finds && !usual_commits) {
      refuse(command, "max-commits", why);
    }
  }
  const Nanoseconds longest = command.run.goal.longest;
  if (!command.cluster.duration && command.cluster.warmup.value_or(0_ns) >= longest) {
    throw ConflictError(
        {"warmup", "max-duration"},
        fmt::format("--warmup {} is not below --max-duration {}, which leaves "
                    "nothing to measure",
                    format_duration(*command.cluster.warmup), format_duration(longest)));
  }
  if (command.run.offered.per_second == 0) {
    if (!command.run.offered.poisson) refuse(command, "arrivals", "needs --rate");
  } else if (command.run.max_transactions != 0) {
    refuse(command, "run.max_transactions", "is of closed loops, and --rate makes an open one");
  }
}

// One thread has to see all that happens, to decide when it is enough.
void check_times(const RunCommand& command) {
  if (command.fabric.simulated) return;
  const std::string why = "is found out with --fabric sim only; expected a time, such as 2s";
  if (!command.cluster.duration) refuse(command, "duration", why);
  if (!command.cluster.warmup) refuse(command, "warmup", why);
}

void check_times(const BenchCommand& command) {
  const std::string why = "bench takes a time, such as 2ms";
  if (!command.cluster.duration) refuse(command, "duration", why);
  if (!command.cluster.warmup) refuse(command, "warmup", why);
}

// A memory server's own CPU goes by NICs that write a line at once, which cores of real processors
// do not.
void check_cores(const RunCommand& command) {
  if (command.fabric.simulated || !command.cluster.endpoint.requests_by_cores()) return;
  RunCommand copy = command;
  const Keys all = keys(copy);
  const auto value_of = [&](const char* name) {
    const Key* const key = find_key(all, name);
    return key == nullptr ? std::string() : value_text(key->parameter);
  };
  const auto refuse_cores = [&](const std::string& why) {
    refuse(command, "prism", why + ", but for --fabric sim");
  };
  if (value_of("nam.locality") == "true" && value_of("nam.own_by_nic") != "true") {
    refuse_cores("needs nam.own_by_nic with nam.locality");
  }
  const std::string overflow = value_of("nam.overflow_kib");
  if (!overflow.empty() && overflow != "0") refuse_cores("needs nam.overflow_kib=0");
  if (!value_of("nam.checkpoints").empty()) refuse_cores("goes without nam.checkpoints");
}

}  // namespace

void check(const RunCommand& command, const Said& said) {
  const std::uint32_t nodes = command.cluster.nodes;
  if (command.run.replicas > nodes) {
    throw ConflictError(
        {"nodes", "replicas"},
        fmt::format("--nodes {} is fewer than --replicas {}: every replica needs a node of its own",
                    nodes, command.run.replicas));
  }
  check_faults(command, said);
  check_cores(command);
  check_workload(command);
  check_times(command);
  check_limits(command);
  check_common(command, said, true);
}

void check(const BenchCommand& command, const Said& said) {
  check_times(command);
  check_roles(command);
  check_loop(command);
  check_objects(command);
  if (is_atomic(command.bench.operation) && command.bench.payload_bytes != 8) {
    refuse(command, "payload", "an atomic operation takes 8 bytes");
  }
  if (command.bench.operation == Operation::kPrismCas && command.bench.payload_bytes != 16) {
    refuse(command, "payload", "prism-cas takes 16 bytes");
  }
  if (is_prism(command.bench.operation)) rdma::check_software_prism(command.cluster.endpoint);
  if (is_prism(command.bench.operation) && command.bench.payload_bytes == 0) {
    refuse(command, "payload", "an object has at least one byte");
  }
  if (command.bench.operation == Operation::kSend && command.cluster.nodes == 1) {
    refuse(command, "nodes", "send goes to another node");
  }
  if (command.bench.operation == Operation::kSend && command.bench.payload_bytes < 8) {
    refuse(command, "payload", "a message of send takes at least the 8 bytes of its time stamp");
  }
  check_common(command, said, true);
}

void check(const ExplainCommand& command, const Said& said) {
  const std::string& operation = command.record.operation;
  if ((operation == "cas" || operation == "faa") && command.payload != 8) {
    refuse(command, "payload", "an atomic operation takes 8 bytes");
  }
  if (operation == "prism-cas" && command.payload != 16) {
    refuse(command, "payload", "prism-cas takes 16 bytes");
  }
  if (command.is_call() && command.cluster.nodes == 1) {
    refuse(command, "nodes", fmt::format("{} calls another node", operation));
  }
  if (command.is_call() && command.state == "qp-miss") {
    refuse(command, "state", fmt::format("{} has warm and cold", operation));
  }
  if (command.inlined && operation != "write" && operation != "send" && !command.is_call()) {
    throw ConflictError({"inline"}, fmt::format("--inline: {} carries no data", operation));
  }
  check_common(command, said, false);
}

// A merge takes few other flags: what it has was hunted before.
void check(const HuntCommand& command, const Said& said) {
  if (!command.json.empty() && !command.junit.empty() &&
      is_same_file(command.json, command.junit)) {
    throw ConflictError({"junit", "json"},
                        fmt::format("--junit {}: is the file of --json too", command.junit));
  }
  if (command.merge) {
    for (const std::string& key : said) {
      if (key == "merge" || key == "json" || key == "junit" || key == "progress") continue;
      throw ConflictError({key, "merge"},
                          fmt::format("--{}: is of hunts, and --merge makes none", key));
    }
    return;
  }
  const std::optional<HuntedSeeds> seeds = parse_seeds(command.seeds_text);
  if (seeds && seeds->first && said.contains("from")) {
    throw ConflictError({"seeds", "from"},
                        fmt::format("--seeds {}: tells where it begins; allowed is no --from {}",
                                    command.seeds_text, command.first_seed));
  }
}

// Claims are of all points.
void check(const ReproduceCommand& command, const Said& said) {
  check_shards(command.shards, command.out, command.fresh);
  if (command.shards.chosen().is_whole()) return;
  for (const char* flag : {"strict", "decide-within"}) {
    if (!said.contains(flag)) continue;
    throw ConflictError(
        {flag, "shard"},
        fmt::format("--{}: is of claims, which are decided by --gather and not by --shard", flag));
  }
}

}  // namespace verbena::experiments
