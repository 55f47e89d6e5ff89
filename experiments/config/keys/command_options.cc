// Small derivations from options.
#include "experiments/config/keys/command_options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "rdma/base/parameter.h"
#include "rdma/base/text/split.h"

namespace verbena::experiments {
namespace {

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::optional<Parameter> parameter_of(txn::System& system, const std::string& name) {
  for (txn::ParameterSection& section : system.parameters()) {
    for (Parameter& parameter : section.parameters) {
      if (parameter.name == name) return std::move(parameter);
    }
  }
  return std::nullopt;
}

}  // namespace

const char* command_name(Command command) {
  constexpr const char* kNames[] = {"run",     "bench",   "hunt", "reproduce",
                                    "compare", "explain", "list", "doctor"};
  return kNames[static_cast<std::size_t>(command)];
}

std::vector<std::string> ConfigurationRecord::arguments() const {
  std::vector<std::string> all = {command_name(command)};
  if (!operation.empty()) all.push_back(operation);
  if (!simulated) all.insert(all.end(), {"--fabric", "verbs"});
  for (const auto& [name, text] : flags) {
    // A switch takes the text behind it only when it is written like this.
    if (text.starts_with("on,") || text.starts_with("off,")) {
      all.push_back(std::string("--").append(name).append("=").append(text));
      continue;
    }
    all.push_back("--" + name);
    if (!text.empty()) all.push_back(text);
  }
  for (const auto& [key, text] : overrides) {
    all.insert(all.end(), {"--set", std::string(key).append("=").append(text)});
  }
  return all;
}

std::string ConfigurationRecord::command_line() const {
  std::string line = "verbena";
  for (const std::string& argument : arguments()) line += " " + shell_quoted(argument);
  return line;
}

std::vector<std::string> FabricOptions::peer_list() const {
  return peers.empty() ? std::vector<std::string>{} : split(peers, ',');
}

std::vector<rdma::DeviceChoice> FabricOptions::device_choices(std::uint32_t nics) const {
  if (simulated || (device.empty() && !port && !gid_index)) return {};
  rdma::DeviceChoice choice{.name = device};
  if (port) choice.port = static_cast<int>(*port);
  if (gid_index) choice.gid_index = static_cast<int>(*gid_index);
  return std::vector<rdma::DeviceChoice>(nics, choice);
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

bool ExplainCommand::is_chain() const { return is_prism(operation_of(record.operation)); }

bool ExplainCommand::is_call() const {
  return experiments::is_call(operation_of(record.operation)) || is_chain();
}

std::uint32_t BenchCommand::receivers() const {
  const bool itself = bench.clients == 1 && bench.servers == cluster.nodes && cluster.nodes > 1;
  return itself ? bench.servers - 1 : bench.servers;
}

}  // namespace verbena::experiments
