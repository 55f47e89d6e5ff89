// Words for keys, and their defaults command by command.
#include "experiments/cli/text/key_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "experiments/config/commands/registry.h"
#include "simnic/profile/profile_values.h"

namespace verbena::experiments {
namespace {

// Values, each with those that have it.
using Defaults = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add(Defaults& defaults, const std::string& value, const std::string& owner) {
  auto same = std::find_if(defaults.begin(), defaults.end(),
                           [&](const auto& known) { return known.first == value; });
  if (same == defaults.end()) same = defaults.insert(same, {value, {}});
  same->second.push_back(owner);
}

// "16", "16; 2 for explain": the first is what is usual.
std::string text_of(const Defaults& defaults) {
  std::string text = defaults.front().first;
  for (auto other = defaults.begin() + 1; other != defaults.end(); ++other) {
    text += fmt::format("; {} for {}", other->first, fmt::join(other->second, ", "));
  }
  return text;
}

// Not where somebody else finds the value.
bool has_default(const Key& key) {
  const std::string value = value_text(key.parameter);
  return key.name() != "node" && !value.empty() && value != "auto";
}

// The value of a flag of bench when nothing is said but the operation.
std::string value_of(const std::string& operation, const std::string& name) {
  BenchCommand command;
  command.bench.operation = operation_of(operation);
  command.set_defaults();
  return value_text(find_key(command.keys(), name)->parameter);
}

// "4", "4; 1 for multi-read, multi-write".
std::string default_text(const Key& key, Command command) {
  if (!key.parameter.otherwise.empty()) return key.parameter.otherwise;
  // Switches of the command line are off.
  if (!has_default(key) || key.parameter.is_switch()) return "";
  Defaults defaults = {{value_text(key.parameter), {}}};
  if (command == Command::kBench) {
    for (const std::string& operation : operation_names()) {
      add(defaults, value_of(operation, key.name()), operation);
    }
  }
  return text_of(defaults);
}

std::string default_text_of_commands(const Key& key) {
  if (!key.parameter.otherwise.empty()) return key.parameter.otherwise;
  if (!has_default(key)) return "";
  Defaults defaults = {{value_text(key.parameter), {}}};
  if (key.owner == "bench") return default_text(key, Command::kBench);
  // Keys of workloads and systems are run's alone; others of the name may have other values.
  if (!key.workloads.empty() || !key.systems.empty()) return text_of(defaults);
  for (const CommandRow& row : command_table()) {
    const Key* same = find_key(known_keys(row.command), key.name());
    if (row.settings != Settings::kOwn || same == nullptr || same->owner != key.owner) continue;
    add(defaults, value_text(same->parameter), row.name);
  }
  return text_of(defaults);
}

// Value of a constant in the profiles that a command takes when nothing is said.
std::string profile_value(const Key& key) {
  static const auto values = [] {
    const FabricOptions usual;
    return simnic::constant_values(usual.nic, usual.cpu, usual.switches, {});
  }();
  const auto known = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.key == key.name(); });
  if (known == values.end()) return "";
  const FabricOptions usual;
  const std::string profile = key.name().starts_with("nic.") ? usual.nic
                              : key.name().starts_with("cpu.")
                                  ? usual.cpu
                                  : simnic::profile_info("nic", usual.nic).fabric;
  const std::string value =
      known->whole ? fmt::format("{:.0f}", known->value) : fmt::format("{:.6g}", known->value);
  return fmt::format("the profile's, {} of {}", value, profile);
}

std::string fabric_text(const Key& key) {
  if (key.fabric == FabricKind::kAny) return "";
  return key.fabric == FabricKind::kSim ? " [sim]" : " [verbs]";
}

}  // namespace

std::string placeholder(const Parameter& parameter) {
  if (!parameter.placeholder.empty()) return parameter.placeholder;
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, "|"));
  if (std::holds_alternative<Nanoseconds*>(parameter.target)) return "TIME";
  if (std::holds_alternative<std::optional<Nanoseconds>*>(parameter.target)) return "TIME|auto";
  return std::holds_alternative<std::optional<std::uint32_t>*>(parameter.target) ? "N|auto" : "N";
}

std::string help_text(const Key& key, Command command) {
  const std::string initial = default_text(key, command);
  std::string text = key.parameter.help;
  if (!key.workloads.empty()) text = fmt::format("of {}: {}", fmt::join(key.workloads, ", "), text);
  if (!initial.empty()) text += fmt::format(" ({})", initial);
  return command == Command::kExplain ? text : text + fabric_text(key);
}

std::string full_text(const Key& key) {
  std::string initial = default_text_of_commands(key);
  if (initial.empty()) initial = profile_value(key);
  return fmt::format("{} ({}{}){}", key.parameter.help, allowed_values(key.parameter),
                     initial.empty() ? "" : "; otherwise " + initial, fabric_text(key));
}

}  // namespace verbena::experiments
