// Transactions: keys, defaults, conditions.
#include "experiments/config/commands/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "experiments/config/commands/registry.h"
#include "experiments/config/commands/run_parameters.h"
#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/fabric_checks.h"
#include "experiments/config/keys/fabric_keys.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

std::optional<Parameter> parameter_of(txn::System& system, const std::string& name) {
  for (txn::ParameterSection& section : system.parameters()) {
    for (Parameter& parameter : section.parameters) {
      if (parameter.name == name) return std::move(parameter);
    }
  }
  return std::nullopt;
}

void add_system(Keys& keys, const std::string& name, txn::System& system) {
  for (txn::ParameterSection& section : system.parameters()) {
    for (Parameter& parameter : in_section(section.name, std::move(section.parameters))) {
      keys.push_back({.parameter = std::move(parameter),
                      .owner = "the transaction system",
                      .systems = {name}});
    }
  }
}

void add_workload(Keys& keys, const std::string& name, workloads::WorkloadFactory& factory) {
  for (Parameter& parameter : in_section("workload", factory.parameters())) {
    keys.push_back(
        {.parameter = std::move(parameter), .owner = "the workload", .workloads = {name}});
  }
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

// Refuses values that only count where the run finds out something, if it is not asked to.
void check_limits(RunCommand& command) {
  // A document of results says all, and most of it as it is anyway.
  const RunCommand usual;
  const workloads::PrecisionGoal& goal = command.run.goal;
  if (command.cluster.duration) {
    const std::string why = "applies only to --duration auto, but --duration is a time";
    const bool finds = !command.cluster.warmup;
    if (command.precision_percent != usual.precision_percent) command.refuse("precision", why);
    if (!finds && goal.longest != usual.run.goal.longest) command.refuse("max-duration", why);
    const bool usual_commits =
        goal.most_commits == usual.run.goal.most_commits || goal.most_commits == kVerifiedCommits;
    if (!finds && !usual_commits) {
      command.refuse("max-commits", why);
    }
    if (!finds && command.max_memory != usual.max_memory) command.refuse("max-memory", why);
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
    if (!command.run.offered.poisson) command.refuse("arrivals", "needs --rate");
  } else if (command.run.max_transactions != 0) {
    command.refuse("run.max_transactions",
                   "applies only to closed loops, but --rate makes an open one");
  }
}

// One thread has to see all that happens, to decide when it is enough.
void check_times(RunCommand& command) {
  if (command.fabric.simulated) return;
  const std::string why =
      "can be determined automatically only with --fabric sim; expected a time, such as 2s";
  if (!command.cluster.duration) command.refuse("duration", why);
  if (!command.cluster.warmup) command.refuse("warmup", why);
}

// A memory server's own CPU goes by NICs that write a line at once, which cores of real processors
// do not.
void check_cores(RunCommand& command) {
  if (command.fabric.simulated || !command.cluster.endpoint.requests_by_cores()) return;
  const Keys all = command.keys();
  const auto value_of = [&](const char* name) {
    const Key* const key = find_key(all, name);
    return key == nullptr ? std::string() : value_text(key->parameter);
  };
  const auto refuse_cores = [&](const std::string& why) {
    command.refuse("prism", why + ", except with --fabric sim");
  };
  if (value_of("nam.locality") == "true" && value_of("nam.own_by_nic") != "true") {
    refuse_cores("needs nam.own_by_nic with nam.locality");
  }
  const std::string overflow = value_of("nam.overflow_kib");
  if (!overflow.empty() && overflow != "0") refuse_cores("needs nam.overflow_kib=0");
  if (!value_of("nam.checkpoints").empty()) refuse_cores("excludes nam.checkpoints");
}

// Refuses settings of a death that nothing brings about: they would be passed over.
void check_crash(RunCommand& command, const Said& said, const CrashOptions& crash,
                 const std::string& name) {
  const std::string at = fmt::format("faults.{}_at", name);
  for (const char* other : {"node", "count"}) {
    const std::string key = fmt::format("faults.{}_{}", name, other);
    if (crash.point.empty() && said.contains(key)) command.refuse(key, "needs " + at);
  }
  if (!crash.point.empty() && crash.node >= command.cluster.nodes) {
    command.refuse(fmt::format("faults.{}_node", name),
                   fmt::format("expected a whole number from 0 to {}", command.cluster.nodes - 1));
  }
}

// Nodes that have finished would end the run before others know who is dead.
void check_drain(RunCommand& command) {
  if (command.crash.point.empty() && command.fabric.simulated) return;
  const Nanoseconds patience = command.cluster.endpoint.drain_timeout;
  for (const Key& key : command.keys()) {
    if (!key.name().ends_with(".suspect_after")) continue;
    const Nanoseconds suspected = *std::get<Nanoseconds*>(key.parameter.target);
    if (patience > suspected) continue;
    throw ConflictError(
        {"rdma.drain_timeout", key.name()},
        fmt::format("rdma.drain_timeout {} has to be longer than {} {}: otherwise finished nodes "
                    "give up before dead ones are detected",
                    format_duration(patience), key.name(), format_duration(suspected)));
  }
}

// Refuses faults.* that do not go together, and nodes that would give up before it is known who is
// dead.
void check_faults(RunCommand& command, const Said& said) {
  check_crash(command, said, command.crash, "kill");
  check_crash(command, said, command.second_crash, "second");
  if (command.crash.point.empty() && said.contains("faults.kill_late")) {
    command.refuse("faults.kill_late", "needs faults.kill_at");
  }
  if (command.crash.late > 0 && !command.fabric.chaos) {
    command.refuse("faults.kill_late", "needs --chaos");
  }
  if (!command.second_crash.point.empty()) {
    if (command.crash.point.empty()) command.refuse("faults.second_at", "needs faults.kill_at");
    if (command.crash.node == command.second_crash.node) {
      command.refuse("faults.second_node", "has to differ from faults.kill_node");
    }
  }
  check_drain(command);
  if (!command.restores) return;
  if (!command.fabric.simulated) command.refuse("faults.restore", "needs --fabric sim");
  if (!can_restore(command)) {
    command.refuse("faults.restore",
                   fmt::format("system '{}' cannot save its state", command.system));
  }
  for (const char* own : {"nam.checkpoints", "nam.restore"}) {
    if (said.contains(own)) command.refuse(own, "is set by faults.restore");
  }
}

}  // namespace

Keys RunCommand::first_keys() {
  Keys all;
  add_measuring(all, *this);
  add(all, "cluster", precision_parameters(*this), FabricKind::kSim);
  add(all, "run", run_parameters(*this));
  return all;
}

void RunCommand::load() {
  loaded_system = txn::load_system(system);
  factory = workloads::workload_factory(workload);
}

Keys RunCommand::keys() {
  Keys all = first_keys();
  add(all, "run", {explain_parameter(*this)}, FabricKind::kSim);
  add_series(all, series);
  add_output(all, output);
  add(all, "output", file_parameters(*this));
  add_constants(all, fabric);
  add(all, "workers", in_section("rdma", parameters(cluster.endpoint)));
  add(all, "run", limit_parameters(*this));
  add(all, "run", fault_parameters(*this));
  add_system(all, system, *loaded_system);
  add_workload(all, workload, *factory);
  return all;
}

void RunCommand::set_defaults() {
  constexpr std::uint32_t kHardwareNodes = 3;
  set_cluster_defaults(kHardwareNodes);
  const bool replicates = loaded_system->info().replicates;
  run.replicas = replicates ? std::min(cluster.nodes, 3U) : 1;
  run.verify = false;
  if (fabric.simulated) cluster.duration = cluster.warmup = std::nullopt;
  follow_fabric(*this, {});
}

void RunCommand::derive(const Said& said) {
  FabricCommand::derive(said);
  if (!said.contains("replicas") && !loaded_system->info().replicates) {
    run.replicas = 1;
  }
  if (cluster.duration && !said.contains("warmup") && fabric.simulated) {
    cluster.warmup = kUsualWarmup;
  }
  if (run.verify && !cluster.duration && !said.contains("max-commits")) {
    run.goal.most_commits = kVerifiedCommits;
  }
  follow_fabric(*this, said);
}

void RunCommand::check(const Said& said) {
  const std::uint32_t nodes = cluster.nodes;
  if (run.replicas > nodes) {
    throw ConflictError(
        {"nodes", "replicas"},
        fmt::format("--nodes {} is fewer than --replicas {}: every replica needs a node of its own",
                    nodes, run.replicas));
  }
  check_faults(*this, said);
  check_cores(*this);
  check_workload(*this);
  check_times(*this);
  check_limits(*this);
  check_fabric(*this, said, true, !cluster.endpoint.writes_messages());
}

void RunCommand::complete() {
  complete_endpoint();
  try {
    if (!plan_changes.empty()) loaded_system->change(plan_changes);
  } catch (const ConfigurationError& error) {
    throw ParameterError("plan", plan_changes, error.what());
  }
  run.endpoint = cluster.endpoint;
  run.fibers = cluster.coroutines;
  run.warm_up = cluster.warmup;
  run.duration = cluster.duration;
  run.goal.half_width = precision_percent / 100;
  if (const auto most = parse_memory_size(max_memory)) run.goal.most_memory_bytes = *most;
  run.seed = cluster.seed;
  // A process that hosts some of the nodes does not know who wrote what it read: no check then.
  run.check_history = run.verify && fabric.peers.empty();
  run.record_history = !output.history.empty();
}

workloads::ClusterSize workload_size(const RunCommand& command) {
  const txn::View view = command.loaded_system->place(
      {.nodes = command.cluster.nodes, .replicas = command.run.replicas});
  workloads::ClusterSize size{.partitions = view.partitions(),
                              .workers = 1,
                              .key_value_store = command.loaded_system->info().most_records == 1,
                              .scans = command.loaded_system->info().scans};
  for (std::uint32_t node = 0; node < view.nodes(); ++node) {
    if (!view.computes(static_cast<NodeId>(node))) continue;
    const auto last = static_cast<WorkerId>(command.cluster.endpoint.workers - 1);
    const txn::Home home = view.home(static_cast<NodeId>(node), last);
    size.workers = std::max(size.workers, home.client + 1U);
  }
  return size;
}

bool can_restore(const RunCommand& command) {
  return parameter_of(*command.loaded_system, "checkpoints") &&
         parameter_of(*command.loaded_system, "restore");
}

void save_and_restore(const RunCommand& command, const std::string& checkpoints,
                      const std::string& restore) {
  assign(parameter_of(*command.loaded_system, "checkpoints").value(), checkpoints);
  assign(parameter_of(*command.loaded_system, "restore").value(), restore);
}

}  // namespace verbena::experiments
