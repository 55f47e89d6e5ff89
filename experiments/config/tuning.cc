// The table of override keys and how they are applied.
#include "experiments/config/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <variant>

#include "experiments/config/hardware_keys.h"
#include "experiments/config/setting.h"
#include "experiments/config/units.h"
#include "experiments/config/workload_keys.h"
#include "rdma/base/errors.h"
#include "rdma/base/nearest_name.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

using Member =
    std::variant<std::function<std::uint32_t&(Tuning&)>, std::function<std::uint64_t&(Tuning&)>,
                 std::function<Nanoseconds&(Tuning&)>, std::function<bool&(Tuning&)>,
                 std::function<double&(Tuning&)>>;

struct Tunable {
  std::string key;
  Member member;
  double minimum = 0;
  double maximum = 0;
  unsigned commands = kForMeasuring;
};

// The member at the end of a path of members from Tuning.
template <typename Value, typename Access>
Member member(Access access) {
  return std::function<Value&(Tuning&)>(access);
}

template <typename Value>
Tunable endpoint(const char* name, Value rdma::EndpointOptions::*field, double minimum,
                 double maximum) {
  return {std::string("rdma.") + name,
          member<Value>([field](Tuning& t) -> Value& { return t.run.endpoint.*field; }), minimum,
          maximum};
}

template <typename Value>
Tunable rpc(const char* name, Value rdma::RpcOptions::*field, double minimum, double maximum) {
  return {std::string("rdma.rpc_") + name,
          member<Value>([field](Tuning& t) -> Value& { return t.run.endpoint.rpc.*field; }),
          minimum, maximum};
}

template <typename Value>
Tunable run(const char* name, Value workloads::RunOptions::*field, double minimum, double maximum) {
  return {std::string("run.") + name,
          member<Value>([field](Tuning& t) -> Value& { return t.run.*field; }), minimum, maximum,
          kForRun};
}

constexpr const char* kTrustAtomics = "plan.trust_atomics_across_nics";

// Where a system keeps a parameter of its own; null if it has none with this key.
template <typename Value>
Value* find_parameter(txn::System& system, const std::string& key) {
  for (const txn::ParameterSection& section : system.parameters()) {
    for (const Parameter& parameter : section.parameters) {
      if (section.name + "." + parameter.name != key) continue;
      if (Value* const* target = std::get_if<Value*>(&parameter.target)) return *target;
    }
  }
  return nullptr;
}

template <typename Value>
Member system_member(const std::string& key) {
  return member<Value>([key](Tuning& t) -> Value& {
    Value* value = find_parameter<Value>(*t.system, key);
    if (value == nullptr) {
      throw ConfigurationError(key + ": is no parameter of system " + t.system->info().name);
    }
    return *value;
  });
}

std::vector<Tunable> system_tunables() {
  std::vector<Tunable> tunables;
  for (const txn::ParameterSection& section : txn::load_system("drtmh")->parameters()) {
    for (const Parameter& parameter : section.parameters) {
      const std::string key = section.name + "." + parameter.name;
      tunables.push_back(
          {key,
           parameter.is_switch() ? system_member<bool>(key) : system_member<std::uint64_t>(key),
           parameter.minimum, parameter.maximum, kForRun});
    }
  }
  return tunables;
}

std::vector<Tunable> make_tunables() {
  using rdma::EndpointOptions;
  using rdma::RpcOptions;
  constexpr double kMemory = 64.0 * (1 << 30);
  constexpr double kLongest = 3600e9;
  std::vector<Tunable> tunables = {
      endpoint("stack_bytes", &EndpointOptions::stack_bytes, 16384, 1 << 24),
      endpoint("turn_time", &EndpointOptions::turn_time, 0, kLongest),
      endpoint("send_queue_depth", &EndpointOptions::send_queue_depth, 2, 16384),
      endpoint("signal_interval", &EndpointOptions::signal_interval, 1, 8192),
      endpoint("qps_in_turn", &EndpointOptions::qps_in_turn, 0, 0),
      endpoint("signal_all", &EndpointOptions::signal_all, 0, 0),
      endpoint("poll_batch", &EndpointOptions::poll_batch, 1, 64),
      endpoint("max_inline_bytes", &EndpointOptions::max_inline_bytes, 0, 1024),
      endpoint("scratch_bytes", &EndpointOptions::scratch_bytes, 4096, kMemory),
      endpoint("staging_bytes", &EndpointOptions::staging_bytes, 65536, kMemory),
      endpoint("fill_threads", &EndpointOptions::fill_threads, 0, 1024),
      endpoint("drain_timeout", &EndpointOptions::drain_timeout, 1e6, kLongest),
      rpc("slots_per_peer", &RpcOptions::slots_per_peer, 1, 64),
      rpc("notify_window", &RpcOptions::notify_window, 1, rdma::kMostUnacknowledged),
      rpc("receive_depth", &RpcOptions::receive_depth, 2, rdma::kMostReceiveDepth),
      rpc("receive_batch", &RpcOptions::receive_batch, 1, 1024),
      rpc("send_queue_depth", &RpcOptions::send_queue_depth, 2, 16384),
      rpc("signal_interval", &RpcOptions::signal_interval, 1, 8192),
      rpc("max_message_bytes", &RpcOptions::max_message_bytes, 256, 4096),
      rpc("batch_replies", &RpcOptions::batch_replies, 0, 0),
      rpc("timeout", &RpcOptions::timeout, 1e3, kLongest),
      rpc("max_timeout", &RpcOptions::max_timeout, 1e3, kLongest),
      rpc("retries", &RpcOptions::retries, 0, 30),
      rpc("ack_delay", &RpcOptions::ack_delay, 0, kLongest / 2),
  };
  for (Tunable& tunable : system_tunables()) {
    // In the order in which lists show them.
    if (tunable.key == kTrustAtomics) {
      tunables.push_back(
          run("max_transactions", &workloads::RunOptions::max_transactions, 0, 1e15));
    }
    tunables.push_back(std::move(tunable));
  }
  return tunables;
}

const std::vector<Tunable>& tunables() {
  static const std::vector<Tunable> table = make_tunables();
  return table;
}

template <typename Value>
std::function<Value&(Tuning&)> const* as(const Tunable& tunable) {
  return std::get_if<std::function<Value&(Tuning&)>>(&tunable.member);
}

// What else has to hold of a value within its range, since it depends on other settings.
std::string condition_of(const std::string& key) {
  static const std::map<std::string, const char*> conditions = {
      {"rdma.signal_interval", "at most half of rdma.send_queue_depth"},
      {"rdma.rpc_signal_interval", "at most half of rdma.rpc_send_queue_depth"},
      {"rdma.rpc_receive_depth", "a multiple of rdma.rpc_receive_batch, at least twice it"},
      {"rdma.rpc_max_timeout", "at least rdma.rpc_timeout"},
      {"rdma.rpc_ack_delay", "at most half of rdma.rpc_timeout"},
  };
  const auto found = conditions.find(key);
  return found == conditions.end() ? "" : fmt::format(", {}", found->second);
}

std::string allowed_values(const Tunable& tunable) {
  if (as<bool>(tunable) != nullptr) return "true or false";
  if (as<Nanoseconds>(tunable) != nullptr) {
    return fmt::format("a time from {} to {} with its unit",
                       format_duration(static_cast<std::int64_t>(tunable.minimum)),
                       format_duration(static_cast<std::int64_t>(tunable.maximum)));
  }
  if (as<double>(tunable) != nullptr) {
    return fmt::format("a number from {} to {}", tunable.minimum, tunable.maximum);
  }
  return fmt::format("a whole number from {:.0f} to {:.0f}", tunable.minimum, tunable.maximum);
}

std::string current_value(const Tunable& tunable, Tuning& tuning) {
  return std::visit(
      [&](const auto& access) -> std::string {
        const auto value = access(tuning);
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Nanoseconds>) {
          return format_duration(value);
        } else {
          return fmt::format("{}", value);
        }
      },
      tunable.member);
}

// Parses `text` into the member; false when it is not allowed.
bool parse_into(const Tunable& tunable, const std::string& text, Tuning& tuning) {
  const auto in_range = [&](double value) {
    return value >= tunable.minimum && value <= tunable.maximum;
  };
  if (const auto* access = as<bool>(tunable)) {
    const auto value = parse_switch(text);
    if (value) (*access)(tuning) = *value;
    return value.has_value();
  }
  if (const auto* access = as<Nanoseconds>(tunable)) {
    const auto value = parse_duration(text);
    if (!value || !in_range(static_cast<double>(*value))) return false;
    (*access)(tuning) = *value;
    return true;
  }
  if (const auto* access = as<double>(tunable)) {
    const auto value = parse_real(text);
    if (!value || !in_range(*value)) return false;
    (*access)(tuning) = *value;
    return true;
  }
  const auto value = parse_whole(text);
  if (!value || !in_range(static_cast<double>(*value))) return false;
  if (const auto* access = as<std::uint32_t>(tunable)) {
    (*access)(tuning) = static_cast<std::uint32_t>(*value);
  } else {
    (*as<std::uint64_t>(tunable))(tuning) = *value;
  }
  return true;
}

void apply(const Tunable& tunable, const std::string& text, Tuning& tuning) {
  if (!parse_into(tunable, text, tuning)) {
    throw ConfigurationError(
        fmt::format("{} = {}: expected {}", tunable.key, printable(text), allowed_values(tunable)));
  }
}

const Tunable* find_tunable(const std::string& key) {
  const auto found = std::find_if(tunables().begin(), tunables().end(),
                                  [&](const Tunable& t) { return t.key == key; });
  return found == tunables().end() ? nullptr : &*found;
}

Tuning initial_tuning(const Options& options) {
  Tuning tuning;
  tuning.system = txn::load_system(options.system);
  tuning.system->change(options.plan);
  // The paper's machines have two NICs and lock by either. On hardware that has to be asked for,
  // since nothing makes the atomics of two NICs exclude each other; chaos mode shows just that.
  if (bool* trust = find_parameter<bool>(*tuning.system, kTrustAtomics)) {
    *trust = options.simulated() && !options.chaos;
  }
  return tuning;
}

void check_applies(const OverrideKey& key, const Options& options) {
  if ((key.commands & command_bit(options.command)) == 0) {
    throw ConfigurationError(
        fmt::format("{}: does not apply to {}", key.key, command_name(options.command)));
  }
  if (key.simulated_only && !options.simulated()) {
    throw ConfigurationError(fmt::format("{}: applies to --fabric sim only", key.key));
  }
}

rdma::ContextSharing context_sharing(const std::string& name) {
  if (name == "shared") return rdma::ContextSharing::kShared;
  if (name == "own-doorbells") return rdma::ContextSharing::kOwnDoorbells;
  return rdma::ContextSharing::kDedicated;
}

// The options' limits on each other, told with the names of the keys.
void check_endpoint(const rdma::EndpointOptions& endpoint) {
  try {
    endpoint.validate();
  } catch (const ConfigurationError& error) {
    std::string text = std::string("rdma.") + error.what();
    // The setting that a limit follows from, in parentheses.
    constexpr std::string_view kOf = " of ";
    if (const std::size_t reason = text.find(" ("); reason != std::string::npos) {
      const std::size_t of = text.find(kOf, reason);
      assert(of != std::string::npos);
      text.insert(of + kOf.size(), "rdma.");
    }
    for (std::size_t at = 0; (at = text.find("rpc.", at)) != std::string::npos;) text[at + 3] = '_';
    throw ConfigurationError(text);
  }
}

}  // namespace

std::vector<OverrideKey> override_keys() {
  std::vector<OverrideKey> keys = hardware_keys();
  Tuning initial = initial_tuning(default_options(Command::kRun, "", true, 0));
  keys.reserve(keys.size() + tunables().size());
  for (const Tunable& tunable : tunables()) {
    keys.push_back({tunable.key, allowed_values(tunable) + condition_of(tunable.key),
                    current_value(tunable, initial), tunable.commands, false});
  }
  for (OverrideKey& key : workload_keys()) keys.push_back(std::move(key));
  return keys;
}

void check_override(const std::string& key, const std::string& value, const Options& options) {
  const std::vector<OverrideKey> known = override_keys();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const OverrideKey& k) { return k.key == key; });
  if (found == known.end()) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const OverrideKey& k : known) names.push_back(k.key);
    throw ConfigurationError(
        fmt::format("unknown key '{}'{}", printable(key), did_you_mean(key, names)));
  }
  check_applies(*found, options);
  if (found->simulated_only) {
    check_hardware_key(key, value);
    return;
  }
  if (!found->workloads.empty()) {
    check_workload_key(key, value);
    return;
  }
  Tuning scratch = initial_tuning(options);
  apply(*find_tunable(key), value, scratch);
}

std::vector<rdma::DeviceChoice> device_choices(const Options& options, std::uint32_t nics) {
  rdma::DeviceChoice choice;
  choice.name = options.device;
  if (options.port != 0) choice.port = static_cast<int>(options.port);
  if (const auto index = parse_whole(options.gid_index))
    choice.gid_index = static_cast<int>(*index);
  const bool automatic = choice.name.empty() && choice.port < 0 && choice.gid_index < 0;
  if (options.simulated() || automatic) return {};
  return std::vector<rdma::DeviceChoice>(nics, choice);
}

Tuning make_tuning(const Options& options) {
  Tuning tuning = initial_tuning(options);
  for (const auto& [key, value] : options.overrides) {
    check_override(key, value, options);
    if (const auto* found = find_tunable(key)) apply(*found, value, tuning);
  }
  workloads::RunOptions& run = tuning.run;
  run.coroutines = options.coroutines;
  run.replicas = options.replicas;
  run.warm_up = options.warmup;
  run.duration = options.duration;
  run.seed = options.seed;
  run.verify = options.verify;
  // A process that hosts some of the nodes does not know who wrote what it read.
  run.record_history = options.verify && options.peers.empty();
  run.endpoint.workers = options.threads;
  run.endpoint.nics = options.nics_per_node;
  run.endpoint.qps_per_peer = options.connections;
  run.endpoint.context_sharing = context_sharing(options.context);
  run.endpoint.seed = options.seed;
  run.endpoint.bring_up_timeout = options.bring_up_timeout;
  run.endpoint.devices = device_choices(options, options.nics_per_node);
  check_endpoint(run.endpoint);
  return tuning;
}

}  // namespace verbena::experiments
