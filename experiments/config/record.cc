// Leaves out what would be the same if it had not been said.
#include "experiments/config/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "experiments/config/keys/defaults.h"
#include "experiments/config/keys/key.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/plan_meaning.h"
#include "rdma/base/input_file.h"
#include "rdma/base/random.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

using Texts = std::map<std::string, std::string>;

// Numbers as numbers, switches as switches, all else as text.
struct PlainValue {
  const Parameter& parameter;

  ConfigurationRecord::Value operator()(bool* value) const { return *value; }
  ConfigurationRecord::Value operator()(std::uint32_t* value) const {
    return std::uint64_t{*value};
  }
  ConfigurationRecord::Value operator()(std::uint64_t* value) const { return *value; }
  ConfigurationRecord::Value operator()(std::optional<std::uint32_t>* value) const {
    if (*value) return std::uint64_t{**value};
    return value_text(parameter);
  }
  template <typename Other>
  ConfigurationRecord::Value operator()(const Other&) const {
    return value_text(parameter);
  }
};

// A command of which only that was said on which keys and defaults depend. It has a system and a
// workload of its own: defaults change their parameters too.
RunCommand nothing_said(const RunCommand& command) {
  RunCommand other;
  other.system = command.system;
  other.loaded_system = txn::load_system(command.system);
  other.workload = command.workload;
  other.factory = workloads::workload_factory(command.workload);
  return other;
}
BenchCommand nothing_said(const BenchCommand& command) {
  BenchCommand other;
  other.bench.operation = command.bench.operation;
  return other;
}
ExplainCommand nothing_said(const ExplainCommand& command) {
  ExplainCommand other;
  other.record.operation = command.record.operation;
  return other;
}
HuntCommand nothing_said(const HuntCommand&) { return {}; }
ReproduceCommand nothing_said(const ReproduceCommand&) { return {}; }

void take_fabric(FabricCommand& other, const FabricCommand& command) {
  other.fabric.simulated = command.fabric.simulated;
  other.fabric.peers = command.fabric.peers;
}
void take_fabric(HuntCommand&, const HuntCommand&) {}
void take_fabric(ReproduceCommand&, const ReproduceCommand&) {}

// A copy shares the workload's parameters, which flags change.
void part(RunCommand& copy) { copy.factory = workloads::workload_factory(copy.workload); }
template <typename AnyOf>
void part(AnyOf&) {}

// True if `name` has the same value when all of `said` but it is said of `blank`.
template <typename AnyOf>
bool follows(const AnyOf& blank, const Texts& said, const std::string& name) {
  AnyOf other = blank;
  part(other);
  set_defaults(other);
  const Keys own = keys(other);
  Said names;
  for (const auto& [key, text] : said) {
    if (key == name) continue;
    assign(find_key(own, key)->parameter, text);
    names.insert(key);
  }
  derive(other, names);
  return value_text(find_key(own, name)->parameter) == said.at(name);
}

// True for keys that are neither said again nor repeated: where results go.
bool is_output(const Key& key) { return key.owner == "output"; }

template <typename AnyOf>
bool is_needed(const AnyOf& blank, const Key& key, const Texts& said) {
  if (key.name() == "peers" || key.name() == "system" || key.name() == "workload") {
    return said.at(key.name()) != value_text(find_key(known_keys(), key.name())->parameter);
  }
  if (key.name() == "node") return said.contains("peers");
  return !follows(blank, said, key.name());
}

// Plans by what they change. A file by what it holds, wherever it lies: others may have it
// elsewhere, or another one there.
std::string shared_text(const Parameter& parameter) {
  std::string text = value_text(parameter);
  if (parameter.name == "plan") return plan_meaning(text);
  const auto& choices = parameter.choices;
  if (!parameter.or_file || std::ranges::find(choices, text) != choices.end()) return text;
  std::uint64_t digest = 0;
  for (const char byte : read_input_file(text, printable(text))) {
    digest = mix64(digest ^ static_cast<unsigned char>(byte));
  }
  return fmt::format("a file with digest {:016x}", digest);
}

template <typename AnyOf>
void make_record(AnyOf& command, Command which, bool simulated, const Texts& all) {
  ConfigurationRecord& made = command.record;
  const Keys own = keys(command);
  AnyOf blank = nothing_said(command);
  take_fabric(blank, command);
  Texts said;
  made.command = which;
  made.simulated = simulated;
  for (const auto& [name, text] : all) {
    const Key& key = *find_key(own, name);
    if (!key.is_flag()) {
      made.overrides[name] = text;
    } else if (!is_output(key) && name != "fabric") {
      said[name] = value_text(key.parameter);
    }
  }
  for (const Key& key : own) {
    if (simulated || key.fabric == FabricKind::kSim || may_differ(key)) continue;
    made.shared.emplace_back(key.name(), shared_text(key.parameter));
  }
  for (const Key& key : own) {
    if (!key.is_flag()) continue;
    const bool concerns =
        key.fabric == FabricKind::kAny || (key.fabric == FabricKind::kSim) == simulated;
    if (concerns)
      made.values[key.name()] = std::visit(PlainValue{key.parameter}, key.parameter.target);
    const bool is_said = said.contains(key.name());
    if (key.name() == "seed" || (is_said && is_needed(blank, key, said))) {
      made.flags.emplace_back(key.name(),
                              key.parameter.is_switch() ? "" : value_text(key.parameter));
    } else if (is_said) {
      said.erase(key.name());
    }
  }
}

using Place = std::vector<std::pair<std::string, std::string>>;

// Place of a command of its own, to whose members the keys are bound.
template <typename AnyOf>
Place make_place(const Texts& lists, AnyOf& point) {
  Place place;
  const Keys own = keys(point);
  for (const auto& entry : lists) {
    const Key& key = *find_key(own, entry.first);
    const auto set = point.record.overrides.find(entry.first);
    place.emplace_back(entry.first, key.is_flag() ? value_text(key.parameter)
                                    : set != point.record.overrides.end() ? set->second
                                                                          : "");
  }
  return place;
}

// True if a flag has another value in some of the commands.
template <typename AnyOf>
bool differs(const std::vector<AnyOf>& commands, const std::string& flag,
             const ConfigurationRecord::Value& value) {
  return std::any_of(commands.begin(), commands.end(), [&](const AnyOf& command) {
    const auto same = command.record.values.find(flag);
    return same != command.record.values.end() && same->second != value;
  });
}

template <typename AnyOf>
void make_series_record(AnyOf& whole, Texts lists) {
  ConfigurationRecord& made = whole.record;
  const Keys own = keys(whole);
  // Single measurements are not asked for what is of the series.
  const auto is_own = [&](const std::string& name) {
    const Key& key = *find_key(own, name);
    return name == "seed" || key.owner == "series" || is_output(key);
  };
  std::erase_if(made.values, [&](const auto& value) {
    return !is_own(value.first) && differs(whole.measurements, value.first, value.second);
  });
  Texts flags;
  for (const auto& flag : made.flags) {
    if (is_own(flag.first)) flags.insert(flag);
  }
  for (const AnyOf& each : whole.measurements) {
    flags.insert(each.record.flags.begin(), each.record.flags.end());
  }
  for (const auto& [key, list] : lists) {
    if (find_key(own, key)->is_flag()) {
      flags[key] = list;
      made.values[key] = list;
    } else {
      made.overrides[key] = list;
    }
  }
  made.flags.clear();
  for (const Key& key : own) {
    if (const auto flag = flags.find(key.name()); flag != flags.end()) made.flags.push_back(*flag);
  }
  made.lists = std::move(lists);
}

}  // namespace

void record(RunCommand& command, const Texts& said) {
  make_record(command, Command::kRun, command.fabric.simulated, said);
}
void record(BenchCommand& command, const Texts& said) {
  make_record(command, Command::kBench, command.fabric.simulated, said);
}
void record(ExplainCommand& command, const Texts& said) {
  make_record(command, Command::kExplain, true, said);
}
void record(HuntCommand& command, const Texts& said) {
  make_record(command, Command::kHunt, true, said);
  for (const Assignment& one : command.sets) command.record.overrides[one.key] = one.value;
}
void record(ReproduceCommand& command, const Texts& said) {
  make_record(command, Command::kReproduce, true, said);
}

Place place_of(const Texts& lists, RunCommand point) { return make_place(lists, point); }
Place place_of(const Texts& lists, BenchCommand point) { return make_place(lists, point); }

void record_series(RunCommand& whole, Texts lists) { make_series_record(whole, std::move(lists)); }
void record_series(BenchCommand& whole, Texts lists) {
  make_series_record(whole, std::move(lists));
}

}  // namespace verbena::experiments
