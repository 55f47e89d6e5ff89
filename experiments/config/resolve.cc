// Layers of assignments, applied in order, then checked against each other.
#include "experiments/config/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "experiments/config/checks.h"
#include "experiments/config/keys/defaults.h"
#include "experiments/config/keys/key.h"
#include "experiments/config/keys/list_hint.h"
#include "experiments/config/keys/shard.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/record.h"
#include "experiments/config/series.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {
namespace {

using Given = std::map<std::string, Assignment>;

// In order of precedence.
std::vector<Assignment> all_assignments(const CommandLine& line) {
  std::vector<Assignment> all = line.config;
  all.insert(all.end(), line.flags.begin(), line.flags.end());
  if (sets_others(line.command)) return all;
  all.insert(all.end(), line.sets.begin(), line.sets.end());
  return all;
}

bool is_override(const std::string& key) { return key.find('.') != std::string::npos; }

// Where something was said, and of which key.
std::string named_place(const Assignment& said) {
  return is_override(said.key) ? fmt::format("{}: {}", said.place, said.key) : said.place;
}

// The one place where an error becomes a line.
[[noreturn]] void refuse(const ParameterError& error, const Given& given) {
  const std::string& key = error.key();
  const auto said = given.find(key);
  const std::string place = said != given.end() ? named_place(said->second)
                            : is_override(key)  ? key
                                                : "--" + key;
  const std::string value = error.value().empty() ? "''" : printable(error.value());
  const char* equals = is_override(key) ? " = " : " ";
  const std::string no_list = said != given.end() ? list_hint(key, said->second.value) : "";
  const std::string text =
      fmt::format("{}{}{}: {}{}", place, equals, value, printable(error.why(), 400), no_list);
  if (said != given.end()) throw PlacedError(text);
  throw ConflictError({key}, text);
}

// A parameter of another workload or system than the command's.
[[noreturn]] void refuse_others(const Assignment& said, const Key& key, const Keys& own) {
  const bool of_workload = !key.workloads.empty();
  const char* chooser = of_workload ? "workload" : "system";
  const std::string name =
      is_override(said.key) ? said.key : fmt::format("--{} {}", said.key, printable(said.value));
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
  throw PlacedError(fmt::format("{}: applies to --fabric {} only", named_place(said),
                                key.fabric == FabricKind::kSim ? "sim" : "verbs"));
}

// Takes the operation, on which the command's other keys and defaults depend.
void take_operation(RunCommand&, const CommandLine&) {}
void take_operation(BenchCommand& command, const CommandLine& line) {
  command.record.operation = line.operation;
  command.bench.operation = operation_of(line.operation);
}
void take_operation(ExplainCommand& command, const CommandLine& line) {
  command.record.operation = line.operation;
}
void take_operation(HuntCommand& command, const CommandLine& line) {
  command.files = line.names;
  command.sets = line.sets;
}
void take_operation(ReproduceCommand& command, const CommandLine& line) {
  command.figures = line.names;
  command.sets = line.sets;
}
void take_operation(CompareCommand& command, const CommandLine& line) {
  command.sides = line.names;
  command.sets = line.sets;
}
void take_operation(DoctorCommand&, const CommandLine&) {}

template <typename AnyOf>
void load_owners(AnyOf&) {}

bool is_simulated(const FabricCommand& command) { return command.fabric.simulated; }
// Looks at real devices without being told to.
bool is_simulated(const DoctorCommand&) { return false; }
bool is_simulated(const HuntCommand&) { return true; }
bool is_simulated(const ReproduceCommand&) { return true; }
bool is_simulated(const CompareCommand&) { return true; }

void check_names(const ReproduceCommand& command) {
  if (!command.figures.empty() || command.list) return;
  throw ConfigurationError(
      "reproduce: a figure is missing, such as drtmh/5a; verbena reproduce --list shows all");
}
void check_names(const CompareCommand& command) {
  if (command.sides.size() == 2) return;
  throw ConfigurationError(
      fmt::format("compare: expected two results or commands, such as A.json B.json; there {} {}",
                  command.sides.size() == 1 ? "is" : "are", command.sides.size()));
}
void check_names(const HuntCommand& command) {
  if (!command.merge && !command.files.empty()) {
    throw ConfigurationError(fmt::format("unexpected argument '{}' of hunt; files are of --merge",
                                         printable(command.files.front())));
  }
  if (!command.merge) return;
  if (!command.sets.empty()) {
    throw ConfigurationError(
        fmt::format("--set {}: is of hunts, and --merge makes none", command.sets.front().key));
  }
  if (command.files.size() < 2) {
    throw ConfigurationError(
        fmt::format("hunt --merge: expected two files or more, such as A.json B.json; there {} {}",
                    command.files.size() == 1 ? "is" : "are", command.files.size()));
  }
}
template <typename AnyOf>
void check_names(const AnyOf&) {}

// Assigns what was said of the keys that the others depend on.
template <typename AnyOf>
void take_first(AnyOf& command, const std::vector<Assignment>& all, Given& given) {
  load_owners(command);
  const Keys own = keys(command);
  for (const Assignment& said : all) {
    const std::string& name = said.key;
    if (name != "fabric" && name != "peers" && name != "system" && name != "workload") continue;
    const Key* key = find_key(own, name);
    if (key == nullptr) continue;
    given[name] = said;
    assign(key->parameter, said.value);
  }
  load_owners(command);
}

template <typename AnyOf>
void take_all(AnyOf& command, Command which, const std::vector<Assignment>& all, Given& given) {
  take_first(command, all, given);
  set_defaults(command);
  const Keys own = keys(command);
  Said names;
  for (const Assignment& said : all) {
    const Key* key = find_key(own, said.key);
    if (key == nullptr) refuse_unknown(said, which, own);
    check_fabric(*key, said, is_simulated(command));
    given[said.key] = said;
    assign(key->parameter, said.value);
    names.insert(said.key);
  }
  derive(command, names);
  check_names(command);
  check(command, names);
  for (const Key& key : own) {
    if (key.parameter.holds) check_value(key.parameter);
  }
  complete(command);
}

template <typename AnyOf>
AnyOf resolve_single(const CommandLine& line) {
  const std::vector<Assignment> all = all_assignments(line);
  AnyOf command;
  take_operation(command, line);
  Given given;
  try {
    take_all(command, line.command, all, given);
  } catch (const ParameterError& error) {
    refuse(error, given);
  }
  std::map<std::string, std::string> values;
  for (const auto& [key, said] : given) values[key] = said.value;
  record(command, values);
  return command;
}

// The values that tell one measurement from the others, but for its seed.
std::string place_text(const std::vector<std::pair<std::string, std::string>>& place) {
  std::string text;
  for (const auto& [key, value] : place) {
    if (key != "seed") text += fmt::format("{}={};", key, value);
  }
  return text;
}

// Values that several measurements cannot have.
template <typename AnyOf>
void check_series(const AnyOf& whole, const Series& series) {
  if (!whole.fabric.peers.empty()) {
    const std::string what = series.lists.empty()
                                 ? "a series"
                                 : fmt::format("{} {}: a list", series.lists.begin()->first,
                                               series.lists.begin()->second);
    throw ConflictError({series.lists.empty() ? "peers" : series.lists.begin()->first},
                        what + " needs a process that hosts all nodes, so no --peers");
  }
  if (!whole.output.trace.empty()) {
    throw ConflictError({"trace"},
                        fmt::format("--trace {}: a timeline is of one measurement, not of a list "
                                    "of them",
                                    whole.output.trace));
  }
  if (!whole.output.history.empty()) {
    throw ConflictError({"history"},
                        fmt::format("--history {}: a history is of one run, not of a list of them",
                                    whole.output.history));
  }
  if (!whole.output.reached.empty()) {
    throw ConflictError(
        {"reached"},
        fmt::format("--reached {}: is of one run, not of a list of them", whole.output.reached));
  }
  if (series.lines.size() * whole.series.repeat > kMostMeasurements) {
    throw ParameterError("repeat", std::to_string(whole.series.repeat),
                         fmt::format("of {} points are more than {} measurements",
                                     series.lines.size(), kMostMeasurements));
  }
  check_shards(whole.series.shards, whole.series.out, whole.series.fresh);
  for (const auto& [flag, key] :
       {std::pair{"x", whole.series.x}, {"series", whole.series.curves}}) {
    if (key.empty() || series.lists.contains(key)) continue;
    std::vector<std::string> keys;
    keys.reserve(series.lists.size());
    for (const auto& entry : series.lists) keys.push_back(entry.first);
    throw ParameterError(flag, key,
                         keys.empty() ? "there is no list"
                                      : fmt::format("expected a list: {}", fmt::join(keys, ", ")));
  }
  if (!whole.series.x.empty() && whole.series.x == whole.series.curves) {
    throw ParameterError("series", whole.series.curves, "is on the x axis");
  }
}

// Refuses flags that only a series takes.
void check_no_series(const SeriesOptions& given) {
  const std::pair<const char*, bool> said[] = {{"vary-seed", given.vary_seed},
                                               {"jobs", given.jobs.has_value()},
                                               {"fresh", given.fresh},
                                               {"shard", !given.shards.shard.empty()},
                                               {"gather", !given.shards.gather.empty()},
                                               {"x", !given.x.empty()},
                                               {"series", !given.curves.empty()},
                                               {"y", given.y != SeriesOptions().y}};
  for (const auto& [flag, is_said] : said) {
    if (!is_said) continue;
    throw ConflictError({flag}, fmt::format("--{}: is for several measurements, and there is "
                                            "neither a list nor --repeat nor --out",
                                            flag));
  }
}

template <typename AnyOf>
void add_measurements(AnyOf& whole, const Series& series) {
  const SeriesOptions& options = whole.series;
  const bool own_seeds = options.repeat > 1 || options.vary_seed;
  for (const CommandLine& line : series.lines) {
    AnyOf first = resolve_single<AnyOf>(single_line(line, std::nullopt));
    first.record.place = place_of(series.lists, first);
    const std::string place = options.vary_seed ? place_text(first.record.place) : "";
    for (std::uint32_t repetition = 0; repetition < options.repeat; ++repetition) {
      const std::uint64_t seed = repeated_seed(first.cluster.seed, repetition, place);
      AnyOf point =
          seed == first.cluster.seed ? first : resolve_single<AnyOf>(single_line(line, seed));
      point.record.place = place_of(series.lists, point);
      if (own_seeds && !series.lists.contains("seed")) {
        point.record.place.emplace_back("seed", std::to_string(seed));
      }
      whole.measurements.push_back(std::move(point));
    }
  }
}

// Checkpoints of one run would replace those of another.
template <typename AnyOf>
void check_checkpoints(const AnyOf& whole) {
  constexpr const char* kKey = "nam.checkpoints";
  std::set<std::string> directories;
  for (const AnyOf& point : whole.measurements) {
    const auto found = point.record.overrides.find(kKey);
    if (found == point.record.overrides.end() || directories.insert(found->second).second) continue;
    throw ConflictError(
        {kKey}, fmt::format("{} = {}: is of one run, not of a list of them", kKey, found->second));
  }
}

template <typename AnyOf>
AnyOf resolve_measuring(const CommandLine& line) {
  Series series = expand_lists(line);
  AnyOf whole = resolve_single<AnyOf>(series.lines.front());
  if (series.lists.empty() && whole.series.repeat == 1 && whole.series.out.empty()) {
    check_no_series(whole.series);
    return whole;
  }
  try {
    check_series(whole, series);
  } catch (const ParameterError& error) {
    refuse(error, {});
  }
  add_measurements(whole, series);
  check_checkpoints(whole);
  record_series(whole, std::move(series.lists));
  return whole;
}

// `run --verify` and nothing else: the usual run hardly has conflicts that could show an error.
bool only_verifies(const CommandLine& line) {
  return line.command == Command::kRun && line.config.empty() && line.sets.empty() &&
         line.flags.size() == 1 && line.flags.front().key == "verify" &&
         line.flags.front().value == "true";
}

HuntCommand hunted_instead() {
  CommandLine line;
  line.command = Command::kHunt;
  line.flags.push_back({.key = "seeds", .value = "240", .place = "run --verify"});
  return resolve_single<HuntCommand>(line);
}

}  // namespace

AnyCommand resolve(const CommandLine& line) {
  if (only_verifies(line)) return hunted_instead();
  switch (line.command) {
    case Command::kRun:
      return resolve_measuring<RunCommand>(line);
    case Command::kBench:
      return resolve_measuring<BenchCommand>(line);
    case Command::kExplain:
      return resolve_single<ExplainCommand>(line);
    case Command::kHunt:
      return resolve_single<HuntCommand>(line);
    case Command::kReproduce:
      return resolve_single<ReproduceCommand>(line);
    case Command::kCompare:
      return resolve_single<CompareCommand>(line);
    case Command::kDoctor:
      return resolve_single<DoctorCommand>(line);
    case Command::kList:
      break;
  }
  return ListCommand{.topic = line.operation};
}

}  // namespace verbena::experiments
