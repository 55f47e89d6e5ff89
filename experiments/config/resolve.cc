// Layers of assignments, applied in order, then checked against each other.
#include "experiments/config/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "experiments/config/catalog.h"
#include "experiments/config/hardware_keys.h"
#include "experiments/config/series.h"
#include "experiments/config/setting.h"
#include "experiments/config/tuning.h"
#include "experiments/config/units.h"
#include "experiments/config/workload_keys.h"
#include "experiments/config/write_rpc_limits.h"
#include "rdma/base/errors.h"
#include "rdma/base/nearest_name.h"
#include "simnic/profile.h"
#include "simnic/topology_spec.h"
#include "txn/plan/plan.h"

namespace verbena::experiments {
namespace {

// In order of precedence. What is set on reproduce's command line is for its points.
std::vector<Assignment> all_assignments(const CommandLine& line) {
  std::vector<Assignment> all = line.config;
  all.insert(all.end(), line.flags.begin(), line.flags.end());
  if (line.command == Command::kReproduce) return all;
  all.insert(all.end(), line.sets.begin(), line.sets.end());
  return all;
}

[[noreturn]] void refuse_unknown(const Assignment& assignment, const CommandLine& line) {
  std::vector<std::string> known;
  for (const Setting& setting : settings()) {
    if ((setting.commands & command_bit(line.command)) != 0) known.push_back(setting.name);
  }
  for (const OverrideKey& key : override_keys()) known.push_back(key.key);
  throw ConfigurationError(
      fmt::format("{}: unknown key{}", assignment.place, did_you_mean(assignment.key, known)));
}

void check_applies(const Setting& setting, const Assignment& assignment, const Options& options) {
  if ((setting.commands & command_bit(options.command)) == 0) {
    throw ConfigurationError(
        fmt::format("{}: does not apply to {}", assignment.place, command_name(options.command)));
  }
  // doctor looks at real devices without being told to.
  if (options.command == Command::kDoctor) return;
  const bool applies = setting.fabric == FabricKind::kAny ||
                       (setting.fabric == FabricKind::kSim) == options.simulated();
  if (!applies) {
    throw ConfigurationError(fmt::format("{}: applies to --fabric {} only", assignment.place,
                                         setting.fabric == FabricKind::kSim ? "sim" : "verbs"));
  }
}

void check_peers(const Options& options, const std::set<std::string>& given) {
  const std::size_t peers = options.peer_list().size();
  if (peers == 0) {
    if (given.contains("node")) {
      throw ConfigurationError(
          fmt::format("--node {}: needs --peers, the addresses of all nodes", options.node));
    }
    return;
  }
  if (peers != options.nodes) {
    throw ConfigurationError(
        fmt::format("--peers names {} nodes, but --nodes is {}", peers, options.nodes));
  }
  if (!given.contains("node")) {
    throw ConfigurationError("--peers: needs --node, which of them this process is");
  }
  if (options.node >= options.nodes) {
    throw ConfigurationError(fmt::format("--node {}: expected a whole number from 0 to {}",
                                         options.node, options.nodes - 1));
  }
}

// Systems and profiles that are files can be read, which need not wait for what is measured.
void check_files(const Options& options) {
  if (options.command == Command::kRun) txn::load_plan(options.system);
  if (!options.simulated()) return;
  if (options.nic.ends_with(".toml")) simnic::load_nic_profile(options.nic, {});
  if (options.cpu.ends_with(".toml")) simnic::load_cpu_profile(options.cpu, {});
}

void check_run(const Options& options) {
  chosen_workload(options);
  if (options.replicas > options.nodes) {
    throw ConfigurationError(
        fmt::format("--nodes {} is fewer than --replicas {}: every replica needs a node of its own",
                    options.nodes, options.replicas));
  }
}

void check_roles(const Options& options) {
  for (const auto& [name, count] :
       {std::pair("clients", options.clients), std::pair("servers", options.servers)}) {
    if (count > options.nodes) {
      throw ConfigurationError(
          fmt::format("--{} {} is more than --nodes {}", name, count, options.nodes));
    }
  }
  if (options.servers == 1 && options.clients == options.nodes && options.nodes > 1) {
    throw ConfigurationError(
        fmt::format("--servers 1: the only server, node {}, is a client too; --clients {} leaves "
                    "it out",
                    options.nodes - 1, options.nodes - 1));
  }
}

[[noreturn]] void refuse(const char* name, const Options& options, const std::string& why) {
  throw ConfigurationError(
      fmt::format("--{} {}: {}", name, value_text(*find_setting(name), options), why));
}

bool is_one_sided(const std::string& operation) {
  return operation == "read" || operation == "write" || operation == "cas" || operation == "faa";
}

// What only one kind of loop or operation has.
void check_loop(const Options& options) {
  const bool raw = options.loop == "raw";
  if (raw && !is_one_sided(options.operation)) {
    refuse("loop", options, fmt::format("{} is not one-sided", options.operation));
  }
  if (raw && options.coroutines != 1) {
    refuse("coroutines", options, "--loop raw has no coroutines");
  }
  if (!raw && options.rounds) {
    refuse("rounds", options, "the windows of --loop fibers are waited for whole anyway");
  }
  if (!raw && options.threads_per_queue_pair > 1) {
    refuse("threads-per-queue-pair", options, "only threads of --loop raw can share queue pairs");
  }
  if (options.transport == "uc" && !(raw && options.operation == "write")) {
    refuse("transport", options, "only write with --loop raw can use it");
  }
  const bool call = options.operation == "rpc" || options.operation == "write-rpc";
  if (!call && options.request_payload != options.payload) {
    refuse("request-payload", options, fmt::format("{} has one payload only", options.operation));
  }
  if (options.operation != "write-rpc") return;
  if (options.doorbell == "batched") {
    refuse("doorbell", options, "write-rpc posts each message when it is there");
  }
  const std::string most =
      fmt::format("a message of write-rpc holds at most {} bytes", kMostWriteRpcPayload);
  if (options.payload > kMostWriteRpcPayload) refuse("payload", options, most);
  if (options.request_payload > kMostWriteRpcPayload) refuse("request-payload", options, most);
}

// What only operations on several objects have.
void check_objects(const Options& options) {
  if (options.operation != "multi-read" && options.operation != "multi-write") {
    const std::string why = fmt::format(
        "{} is of one object; multi-read and multi-write are of several", options.operation);
    if (options.objects != 1) refuse("objects", options, why);
    if (options.primitive != "one-sided") refuse("primitive", options, why);
    if (options.outstanding) refuse("outstanding", options, why);
    if (options.passive) refuse("passive", options, why);
    return;
  }
  if (options.window != 1) {
    refuse("window", options,
           fmt::format("{} has --objects and --outstanding instead", options.operation));
  }
  if (options.passive && options.operation == "multi-read") {
    refuse("passive", options, "a read's data is waited for");
  }
  if (options.outstanding) return;
  if (options.passive) refuse("passive", options, "needs --outstanding");
  if (options.doorbell == "batched") {
    refuse("doorbell", options, "needs --outstanding, several requests in flight at once");
  }
}

void check_bench(const Options& options) {
  check_roles(options);
  check_loop(options);
  check_objects(options);
  const bool atomic = options.operation == "cas" || options.operation == "faa";
  if (atomic && options.payload != 8) {
    throw ConfigurationError(
        fmt::format("--payload {}: an atomic operation takes 8 bytes", options.payload));
  }
  if (options.operation == "send" && options.payload < 8) {
    throw ConfigurationError(
        fmt::format("--payload {}: a message of send takes at least the 8 bytes of its time stamp",
                    options.payload));
  }
}

void check_explain(const Options& options) {
  if ((options.operation == "cas" || options.operation == "faa") && options.payload != 8) {
    refuse("payload", options, "an atomic operation takes 8 bytes");
  }
  if (options.inlined && options.operation != "write" && options.operation != "send") {
    throw ConfigurationError(fmt::format("--inline: {} carries no data", options.operation));
  }
}

void check_network(const Options& options) {
  if (options.platform.empty()) {
    try {
      simnic::parse_topology(options.topology, options.nodes, options.nics_per_node);
    } catch (const ConfigurationError& error) {
      throw ConfigurationError(fmt::format("--{}", printable(error.what(), 500)));
    }
  } else if (options.topology != "star") {
    throw ConfigurationError(fmt::format("--platform {}: excludes --topology {}",
                                         printable(options.platform), options.topology));
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

void check_trace(const Options& options, const std::set<std::string>& given) {
  for (const char* name : {"trace-limit", "trace-from"}) {
    if (options.trace.empty() && given.contains(name)) refuse(name, options, "needs --trace");
  }
  if (!options.trace.empty() && !options.json.empty() &&
      is_same_file(options.trace, options.json)) {
    refuse("trace", options, "is the file of --json too");
  }
}

// Defaults that follow from what was said.
void derive_defaults(Options& options, const std::set<std::string>& given) {
  if (options.simulated() && options.command == Command::kBench && !given.contains("clients")) {
    const bool divided = given.contains("servers") && options.servers < options.nodes;
    options.clients = divided ? options.nodes - options.servers : options.nodes;
  }
  if (!given.contains("servers")) options.servers = options.nodes;
  if (!given.contains("request-payload")) options.request_payload = options.payload;
  if (options.loop == "raw" && !given.contains("coroutines")) options.coroutines = 1;
  if (!given.contains("nics-per-node")) {
    options.nics_per_node = std::min(options.nics_per_node, options.threads);
  }
}

void take_figures(const CommandLine& line, Options& options) {
  options.figures = line.figures;
  for (const Assignment& set : line.sets) {
    options.point_settings.push_back(fmt::format("{}={}", set.key, set.value));
  }
  if (options.figures.empty() && !options.list) {
    throw ConfigurationError(
        "reproduce: a figure is missing, such as drtmh/5a; verbena reproduce --list shows all");
  }
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Options resolve_single(const CommandLine& line) {
  const std::vector<Assignment> assignments = all_assignments(line);
  // The defaults depend on the fabric and on how many peers there are.
  Options first = default_options(line.command, line.operation, true, 0);
  std::set<std::string> given;
  for (const Assignment& assignment : assignments) {
    if (assignment.key == "fabric" || assignment.key == "peers") {
      assign(*find_setting(assignment.key), assignment.value, assignment.place, first);
    }
  }
  Options options = default_options(line.command, line.operation, first.simulated(),
                                    static_cast<std::uint32_t>(first.peer_list().size()));
  for (const Assignment& assignment : assignments) {
    if (const Setting* setting = find_setting(assignment.key)) {
      check_applies(*setting, assignment, options);
      assign(*setting, assignment.value, assignment.place, options);
      given.insert(assignment.key);
    } else if (assignment.key.find('.') != std::string::npos) {
      options.overrides[assignment.key] = assignment.value;
      // Checked one by one, so that the message can tell the place.
      Options single = default_options(line.command, line.operation, first.simulated(), 0);
      single.overrides[assignment.key] = assignment.value;
      try {
        check_override(assignment.key, assignment.value, single);
      } catch (const ConfigurationError& error) {
        throw ConfigurationError(fmt::format("{}: {}", assignment.place, error.what()));
      }
    } else {
      refuse_unknown(assignment, line);
    }
  }
  derive_defaults(options, given);
  if (options.nics_per_node > options.threads) {
    throw ConfigurationError(fmt::format("--nics-per-node {} is more than --threads {}",
                                         options.nics_per_node, options.threads));
  }
  check_trace(options, given);
  if ((command_bit(line.command) & kForSimulating) != 0) check_files(options);
  if (line.command == Command::kReproduce) take_figures(line, options);
  if (line.command == Command::kRun) check_run(options);
  if (line.command == Command::kBench) check_bench(options);
  if (line.command == Command::kExplain) check_explain(options);
  if (options.simulated()) {
    check_network(options);
    check_hardware_needs(options);
  } else {
    check_peers(options, given);
  }
  return options;
}

}  // namespace

Options resolve(const CommandLine& line) {
  Series series = expand_lists(line);
  if (series.lists.empty()) return resolve_single(series.lines.front());
  Options whole = resolve_single(series.lines.front());
  if (!whole.peers.empty()) {
    const auto& [key, list] = *series.lists.begin();
    throw ConfigurationError(fmt::format(
        "{} {}: a list needs a process that hosts all nodes, so no --peers", key, list));
  }
  if (!whole.trace.empty()) {
    refuse("trace", whole, "a timeline is of one measurement, not of a list of them");
  }
  for (const CommandLine& single : series.lines) {
    whole.measurements.push_back(resolve_single(single));
  }
  for (const auto& [key, list] : series.lists) {
    if (whole.overrides.contains(key)) whole.overrides[key] = list;
  }
  whole.lists = std::move(series.lists);
  return whole;
}

std::vector<std::string> replay_arguments(const Options& options) {
  const std::size_t peers = options.peer_list().size();
  const Options initial = default_options(options.command, options.operation, options.simulated(),
                                          static_cast<std::uint32_t>(peers));
  Options defaults = initial;
  defaults.nodes = options.nodes;
  defaults.threads = options.threads;
  defaults.payload = options.payload;
  defaults.servers = options.servers;
  defaults.loop = options.loop;
  derive_defaults(defaults, {});
  defaults.nodes = initial.nodes;
  defaults.threads = initial.threads;
  defaults.payload = initial.payload;
  defaults.loop = initial.loop;
  std::vector<std::string> arguments{command_name(options.command)};
  if (!options.operation.empty()) arguments.push_back(options.operation);
  if (!options.simulated()) arguments.insert(arguments.end(), {"--fabric", "verbs"});
  for (const Setting& setting : settings()) {
    if ((setting.commands & command_bit(options.command)) == 0) continue;
    if (setting.name == "fabric" || setting.name == "json" || setting.name.starts_with("trace")) {
      continue;
    }
    const std::string value = value_text(setting, options);
    const bool needed = setting.name == "node" ? peers != 0 : setting.name == "seed";
    if (!needed && value == value_text(setting, defaults)) continue;
    arguments.push_back("--" + setting.name);
    if (!setting.is_switch()) arguments.push_back(value);
  }
  for (const auto& [key, value] : options.overrides) {
    arguments.insert(arguments.end(), {"--set", fmt::format("{}={}", key, value)});
  }
  return arguments;
}

std::string replay_command(const Options& options) {
  std::string line = "verbena";
  for (const std::string& argument : replay_arguments(options)) {
    line += " " + shell_quoted(argument);
  }
  return line;
}

}  // namespace verbena::experiments
