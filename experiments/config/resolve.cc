// Layers of assignments, applied in order, then checked against each other.
#include "experiments/config/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/config/checks.h"
#include "experiments/config/defaults.h"
#include "experiments/config/key.h"
#include "experiments/config/record.h"
#include "experiments/config/series.h"
#include "experiments/config/units.h"
#include "rdma/base/nearest_name.h"

namespace verbena::experiments {
namespace {

using Given = std::map<std::string, Assignment>;

// In order of precedence. What is set on reproduce's command line is for its points.
std::vector<Assignment> all_assignments(const CommandLine& line) {
  std::vector<Assignment> all = line.config;
  all.insert(all.end(), line.flags.begin(), line.flags.end());
  if (line.command == Command::kReproduce) return all;
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
  const std::string text =
      fmt::format("{}{}{}: {}", place, equals, value, printable(error.why(), 400));
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

// What the command's other keys and defaults depend on.
void take_operation(RunCommand&, const CommandLine&) {}
void take_operation(BenchCommand& command, const CommandLine& line) {
  command.record.operation = line.operation;
  command.bench.operation = operation_of(line.operation);
}
void take_operation(ExplainCommand& command, const CommandLine& line) {
  command.record.operation = line.operation;
}
void take_operation(ReproduceCommand& command, const CommandLine& line) {
  command.figures = line.figures;
  command.sets = line.sets;
}
void take_operation(DoctorCommand&, const CommandLine&) {}

template <typename AnyOf>
void load_owners(AnyOf&) {}

bool is_simulated(const FabricCommand& command) { return command.fabric.simulated; }
// Looks at real devices without being told to.
bool is_simulated(const DoctorCommand&) { return false; }
bool is_simulated(const ReproduceCommand&) { return true; }

void check_figures(const ReproduceCommand& command) {
  if (!command.figures.empty() || command.list) return;
  throw ConfigurationError(
      "reproduce: a figure is missing, such as drtmh/5a; verbena reproduce --list shows all");
}
template <typename AnyOf>
void check_figures(const AnyOf&) {}

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
  check_figures(command);
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

BenchCommand resolve_bench(const CommandLine& line) {
  Series series = expand_lists(line);
  BenchCommand whole = resolve_single<BenchCommand>(series.lines.front());
  if (series.lists.empty()) return whole;
  if (!whole.fabric.peers.empty()) {
    const auto& [key, list] = *series.lists.begin();
    throw ConflictError({key},
                        fmt::format("{} {}: a list needs a process that hosts all nodes, so no "
                                    "--peers",
                                    key, list));
  }
  if (!whole.output.trace.empty()) {
    throw ConflictError({"trace"},
                        fmt::format("--trace {}: a timeline is of one measurement, not of a list "
                                    "of them",
                                    whole.output.trace));
  }
  for (const CommandLine& single : series.lines) {
    whole.measurements.push_back(resolve_single<BenchCommand>(single));
  }
  record_series(whole, std::move(series.lists));
  return whole;
}

}  // namespace

AnyCommand resolve(const CommandLine& line) {
  switch (line.command) {
    case Command::kRun:
      return resolve_single<RunCommand>(line);
    case Command::kBench:
      return resolve_bench(line);
    case Command::kExplain:
      return resolve_single<ExplainCommand>(line);
    case Command::kReproduce:
      return resolve_single<ReproduceCommand>(line);
    case Command::kDoctor:
      return resolve_single<DoctorCommand>(line);
    case Command::kList:
      break;
  }
  return ListCommand{.topic = line.operation};
}

}  // namespace verbena::experiments
