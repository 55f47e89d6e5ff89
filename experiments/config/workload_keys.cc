// Parameters of workloads as the registry tells them.
#include "experiments/config/workload_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "experiments/config/run_settings.h"
#include "experiments/config/setting.h"
#include "rdma/base/errors.h"
#include "rdma/base/parameter.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

constexpr std::string_view kSection = "workload.";

std::string key_of(const Parameter& parameter) { return std::string(kSection) + parameter.name; }

// Says its whole key when a value is refused.
void assign_by_key(Parameter parameter, const std::string& text) {
  parameter.name = key_of(parameter);
  assign(parameter, text);
}

template <typename Wanted>
std::vector<std::string> workloads_with(Wanted wanted) {
  std::vector<std::string> names;
  for (const std::string& name : workloads::workload_names()) {
    const auto factory = workloads::workload_factory(name);
    if (std::ranges::any_of(factory->parameters(), wanted)) names.push_back(name);
  }
  return names;
}

void set_by_flag(const std::string& flag, const std::string& text, const Options& options,
                 std::vector<Parameter>& parameters) {
  if (text == kAutomatic) return;
  const auto found = std::ranges::find(parameters, flag, &Parameter::flag);
  if (found == parameters.end()) {
    const auto have = [&](const Parameter& parameter) { return parameter.flag == flag; };
    throw ConfigurationError(fmt::format("--{} {}: workload {} has no warehouses, {} have", flag,
                                         text, options.workload,
                                         fmt::join(workloads_with(have), " and ")));
  }
  assign(*found, text);
}

void set_by_key(const std::string& key, const std::string& text, const Options& options,
                std::vector<Parameter>& parameters) {
  const auto found = std::ranges::find(parameters, key, key_of);
  if (found != parameters.end()) return assign_by_key(*found, text);
  const auto have = [&](const Parameter& parameter) { return key_of(parameter) == key; };
  throw ConfigurationError(fmt::format("{}: is a parameter of --workload {}, not of {}", key,
                                       fmt::join(workloads_with(have), " and "), options.workload));
}

}  // namespace

std::vector<OverrideKey> workload_keys() {
  std::vector<OverrideKey> keys;
  for (const std::string& name : workloads::workload_names()) {
    const auto factory = workloads::workload_factory(name);
    for (const Parameter& parameter : factory->parameters()) {
      if (!parameter.flag.empty()) continue;
      const std::string key = key_of(parameter);
      const auto same = std::ranges::find(keys, key, &OverrideKey::key);
      if (same != keys.end()) {
        same->workloads.push_back(name);
        continue;
      }
      keys.push_back({.key = key,
                      .allowed = allowed_values(parameter),
                      .initial = value_text(parameter),
                      .commands = kForRun,
                      .simulated_only = false,
                      .workloads = {name}});
    }
  }
  return keys;
}

void check_workload_key(const std::string& key, const std::string& value) {
  const auto have = [&](const Parameter& parameter) { return key_of(parameter) == key; };
  const auto factory = workloads::workload_factory(workloads_with(have).at(0));
  const std::vector<Parameter> parameters = factory->parameters();
  assign_by_key(*std::ranges::find_if(parameters, have), value);
}

std::unique_ptr<workloads::WorkloadFactory> chosen_workload(const Options& options) {
  auto factory = workloads::workload_factory(options.workload);
  std::vector<Parameter> parameters = factory->parameters();
  for (const auto& [key, text] : options.overrides) {
    if (key.starts_with(kSection)) set_by_key(key, text, options, parameters);
  }
  set_by_flag("warehouses", options.warehouses, options, parameters);
  set_by_flag("remote-percent", options.remote_percent, options, parameters);
  factory->check({.nodes = options.nodes, .workers = options.threads});
  return factory;
}

}  // namespace verbena::experiments
