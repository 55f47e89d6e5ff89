// Layers of assignments, applied in order; in records, what would be the same if not said is left
// out.
#include "experiments/config/configure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "experiments/config/commands/registry.h"
#include "experiments/config/contents_digest.h"
#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/list_hint.h"
#include "experiments/config/plan_meaning.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {
namespace {

// Where something was said, and of which key.
std::string named_place(const Assignment& said) {
  return is_override(said.key) ? fmt::format("{}: {}", said.place, said.key) : said.place;
}

// A parameter of another workload or system than the command's.
[[noreturn]] void refuse_others(const Assignment& said, const Key& key, const Keys& own) {
  const bool of_workload = !key.workloads.empty();
  const char* chooser = of_workload ? "workload" : "system";
  const std::string name =
      is_override(said.key) ? said.key : fmt::format("--{} {}", said.key, refused_text(said.value));
  throw ConflictError({said.key, chooser},
                      fmt::format("{}: is a parameter of --{} {}, not of {}", name, chooser,
                                  fmt::join(of_workload ? key.workloads : key.systems, " and "),
                                  value_text(find_key(own, chooser)->parameter)));
}

[[noreturn]] void refuse_unknown(const Assignment& said, Command command, const Keys& own) {
  if (const Key* others = find_key(known_keys(command), said.key); others != nullptr) {
    refuse_others(said, *others, own);
  }
  if (find_key(known_keys(), said.key) != nullptr) {
    throw PlacedError(
        fmt::format("{}: does not apply to {}", named_place(said), command_name(command)));
  }
  std::vector<std::string> names;
  for (const Key& key : own) names.push_back(key.name());
  for (const Key& key : known_keys()) {
    if (!key.is_flag()) names.push_back(key.name());
  }
  const std::string shown =
      is_override(said.key) ? fmt::format(" '{}'", printable(said.key)) : std::string();
  throw PlacedError(
      fmt::format("{}: unknown key{}{}", said.place, shown, did_you_mean(said.key, names)));
}

void check_fabric(const Key& key, const Assignment& said, bool simulated) {
  if (key.fabric == FabricKind::kAny || (key.fabric == FabricKind::kSim) == simulated) return;
  throw PlacedError(
      fmt::format("{}: {}", named_place(said),
                  simulated ? "needs --fabric verbs" : "applies to --fabric sim only"));
}

// True for the keys that all others depend on.
bool is_first(const std::string& name) {
  return name == "fabric" || name == "peers" || name == "system" || name == "workload";
}

// Assigns what was said of the first keys, and sets the defaults. Returns all keys.
Keys begin(CommandOptions& command, const std::vector<Assignment>& all, Given& given) {
  const Keys own = command.first_keys();
  for (const Assignment& said : all) {
    const Key* key = is_first(said.key) ? find_key(own, said.key) : nullptr;
    if (key == nullptr) continue;
    given[said.key] = said;
    assign(key->parameter, said.value);
  }
  command.load();
  command.set_defaults();
  return command.keys();
}

using Texts = std::map<std::string, std::string>;
using Place = std::vector<std::pair<std::string, std::string>>;

// Numbers as numbers, switches as switches, all else as text.
struct PlainValue {
  const Key& key;

  ConfigurationRecord::Value operator()(bool* value) const { return *value; }
  ConfigurationRecord::Value operator()(std::uint32_t* value) const {
    return std::uint64_t{*value};
  }
  ConfigurationRecord::Value operator()(std::uint64_t* value) const { return *value; }
  ConfigurationRecord::Value operator()(std::optional<std::uint32_t>* value) const {
    if (*value) return std::uint64_t{**value};
    return recorded_text(key);
  }
  template <typename Other>
  ConfigurationRecord::Value operator()(const Other&) const {
    return recorded_text(key);
  }
};

// Makes a function that sets a target to the value that it has now.
struct Restoring {
  std::function<void()> operator()(const Parameter::Choice& choice) const {
    return [choice, index = choice.get()] { choice.set(index); };
  }
  template <typename Value>
  std::function<void()> operator()(Value* target) const {
    return [target, value = *target] { *target = value; };
  }
};

// The names of `said`, in the order of keys, without those that have the same value if they are not
// said of a command like this one.
Said needed_names(const CommandOptions& command, const Texts& said) {
  AnyCommand other = make_command(command.record.command);
  CommandOptions& options = options_of(other);
  options.record.operation = command.record.operation;
  std::vector<Assignment> all;
  for (const auto& [name, text] : said) all.push_back({.key = name, .value = text, .place = {}});
  Given given;
  const Keys own = begin(options, all, given);
  Said names;
  std::map<std::string, std::function<void()>> unsay;
  for (const auto& [name, text] : said) {
    const Parameter& parameter = find_key(own, name)->parameter;
    unsay[name] = std::visit(Restoring{}, parameter.target);
    assign(parameter, text);
    names.insert(name);
  }
  for (const Key& key : own) {
    const auto text = said.find(key.name());
    if (text == said.end() || is_first(key.name())) continue;
    unsay[key.name()]();
    names.erase(key.name());
    options.derive(names);
    if (recorded_text(key) == text->second) continue;
    assign(key.parameter, text->second);
    names.insert(key.name());
  }
  return names;
}

// True for keys that are neither said again nor repeated: where results go.
bool is_output(const Key& key) { return key.owner == "output"; }

// `needed`: see needed_names.
bool is_needed(const Key& key, const Texts& said, const Said& needed) {
  if (key.name() == "seed") return true;
  if (key.name() == "node") return said.contains("peers");
  if (key.name() == "fabric" || !needed.contains(key.name())) return false;
  return !is_first(key.name()) ||
         said.at(key.name()) != value_text(find_key(known_keys(), key.name())->parameter);
}

// Plans by what they change. A file by what it holds, wherever it lies: others may have it
// elsewhere, or another one there.
std::string shared_text(const Parameter& parameter) {
  std::string text = value_text(parameter);
  if (parameter.name == "plan") return plan_meaning(text);
  const auto& choices = parameter.choices;
  if (!parameter.or_file || std::ranges::find(choices, text) != choices.end()) return text;
  return fmt::format("a file with digest {}", contents_digest(text));
}

// True if a flag has another value in some of the records.
bool differs(const std::vector<const ConfigurationRecord*>& records, const std::string& flag,
             const ConfigurationRecord::Value& value) {
  return std::any_of(records.begin(), records.end(), [&](const ConfigurationRecord* record) {
    const auto same = record->values.find(flag);
    return same != record->values.end() && same->second != value;
  });
}

}  // namespace

Keys configure(CommandOptions& command, const std::vector<Assignment>& all, Given& given,
               Said& names) {
  Keys own = begin(command, all, given);
  for (const Assignment& said : all) {
    const Key* key = find_key(own, said.key);
    if (key == nullptr) refuse_unknown(said, command.record.command, own);
    check_fabric(*key, said, command.is_simulated());
    given[said.key] = said;
    assign(key->parameter, said.value);
    names.insert(said.key);
  }
  command.derive(names);
  return own;
}

void refuse(const ParameterError& error, const Given& given) {
  const std::string& key = error.key();
  const auto said = given.find(key);
  const std::string place = said != given.end() ? named_place(said->second)
                            : is_override(key)  ? key
                                                : "--" + key;
  const char* equals = is_override(key) ? " = " : " ";
  const std::string no_list = said != given.end() ? list_hint(key, said->second.value) : "";
  const std::string text = fmt::format("{}{}{}: {}{}", place, equals, refused_text(error.value()),
                                       printable(error.why(), 400), no_list);
  if (said != given.end()) throw PlacedError(text);
  throw ConflictError({key}, text);
}

void make_record(CommandOptions& command, const Keys& own, const Given& given) {
  ConfigurationRecord& made = command.record;
  const bool simulated = command.is_simulated();
  made.simulated = simulated;
  Texts said;
  for (const auto& [name, assignment] : given) {
    const Key& key = *find_key(own, name);
    if (!key.is_flag()) {
      made.overrides[name] = is_path(key) ? recorded_text(key) : assignment.value;
    } else if (!is_output(key)) {
      said[name] = recorded_text(key);
    }
  }
  for (const Key& key : own) {
    if (simulated || key.fabric == FabricKind::kSim || may_differ(key)) continue;
    made.shared.emplace_back(key.name(), shared_text(key.parameter));
  }
  const Said needed = needed_names(command, said);
  for (const Key& key : own) {
    if (!key.is_flag()) continue;
    const bool concerns =
        key.fabric == FabricKind::kAny || (key.fabric == FabricKind::kSim) == simulated;
    if (concerns) made.values[key.name()] = std::visit(PlainValue{key}, key.parameter.target);
    if (is_needed(key, said, needed)) {
      made.flags.emplace_back(key.name(), key.parameter.is_switch() ? "" : recorded_text(key));
    }
  }
}

Place place_of(const Texts& lists, CommandOptions& point) {
  Place place;
  const Keys own = point.keys();
  for (const auto& entry : lists) {
    const Key& key = *find_key(own, entry.first);
    const auto set = point.record.overrides.find(entry.first);
    const bool own_text = key.is_flag() || is_path(key);
    place.emplace_back(entry.first, own_text ? value_text(key.parameter)
                                    : set != point.record.overrides.end() ? set->second
                                                                          : "");
  }
  return place;
}

void make_series_record(CommandOptions& whole,
                        const std::vector<const ConfigurationRecord*>& measurements, Texts lists) {
  ConfigurationRecord& made = whole.record;
  const Keys own = whole.keys();
  // Single measurements are not asked for what is of the series.
  const auto is_own = [&](const std::string& name) {
    const Key& key = *find_key(own, name);
    return name == "seed" || key.owner == "series" || is_output(key);
  };
  std::erase_if(made.values, [&](const auto& value) {
    return !is_own(value.first) && differs(measurements, value.first, value.second);
  });
  Texts flags;
  for (const auto& flag : made.flags) {
    if (is_own(flag.first)) flags.insert(flag);
  }
  for (const ConfigurationRecord* each : measurements) {
    flags.insert(each->flags.begin(), each->flags.end());
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

}  // namespace verbena::experiments
