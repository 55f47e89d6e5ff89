// Commands as they are asked for, and their measurements.
#include "experiments/config/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/configure.h"
#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/named_files.h"
#include "experiments/config/series.h"

namespace verbena::experiments {
namespace {

void resolve_single(const CommandLine& line, CommandOptions& command) {
  command.record.command = line.command;
  command.record.operation = line.operation;
  command.names = line.names;
  // In order of precedence.
  std::vector<Assignment> all = line.config;
  all.insert(all.end(), line.flags.begin(), line.flags.end());
  if (row_of(line.command).settings == Settings::kOfOthers) {
    command.sets = line.sets;
  } else {
    all.insert(all.end(), line.sets.begin(), line.sets.end());
  }
  Given given;
  Keys own;
  try {
    Said said;
    own = configure(command, all, given, said);
    command.check(said);
    for (const Key& key : own) {
      if (key.parameter.holds) check_value(key.parameter);
    }
    command.complete();
  } catch (const ParameterError& error) {
    refuse(error, given);
  }
  make_record(command, own, given);
}

template <typename AnyOf>
AnyOf resolved(const CommandLine& line) {
  AnyOf command;
  resolve_single(line, command);
  return command;
}

// The values that tell one measurement from the others, but for its seed. Files by their names
// alone, so that seeds are the same in every directory, and when the command line is said again.
std::string place_text(CommandOptions& point) {
  const Keys own = point.keys();
  std::string text;
  for (const auto& [key, value] : point.record.place) {
    if (key == "seed") continue;
    const bool is_file = names_file(*find_key(own, key));
    text += fmt::format("{}={};", key, is_file ? file_name(value) : value);
  }
  return text;
}

// "--threads 1,2", "rdma.signal_interval = 1,16".
std::string shown_list(const std::pair<const std::string, std::string>& list) {
  const auto& [key, values] = list;
  return is_override(key) ? fmt::format("{} = {}", key, values)
                          : fmt::format("--{} {}", key, values);
}

// Values that several measurements cannot have.
template <typename AnyOf>
void check_series(const AnyOf& whole, const Series& series) {
  if (!whole.fabric.peers.empty()) {
    const std::string what = series.lists.empty()
                                 ? "a series"
                                 : fmt::format("{}: a list", shown_list(*series.lists.begin()));
    throw ConflictError({series.lists.empty() ? "peers" : series.lists.begin()->first},
                        what + " needs a process that hosts all nodes, so no --peers");
  }
  if (!whole.output.trace.empty()) {
    throw ConflictError({"trace"},
                        fmt::format("--trace {}: a timeline shows a single measurement, not a list",
                                    whole.output.trace));
  }
  if (!whole.output.history.empty()) {
    throw ConflictError(
        {"history"}, fmt::format("--history {}: a history belongs to a single run, not to a list",
                                 whole.output.history));
  }
  if (!whole.output.reached.empty()) {
    throw ConflictError(
        {"reached"},
        fmt::format("--reached {}: applies to a single run, not to a list", whole.output.reached));
  }
  if (series.lines.size() * whole.series.repeat > kMostMeasurements) {
    throw ParameterError("repeat", std::to_string(whole.series.repeat),
                         fmt::format("makes more than {} measurements of {} points",
                                     kMostMeasurements, series.lines.size()));
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
    throw ConflictError(
        {flag},
        fmt::format(
            "--{}: applies only to several measurements, but there is no list, --repeat or --out",
            flag));
  }
}

template <typename AnyOf>
void add_measurements(AnyOf& whole, const Series& series) {
  const SeriesOptions& options = whole.series;
  const bool own_seeds = options.repeat > 1 || options.vary_seed;
  for (const CommandLine& line : series.lines) {
    AnyOf first = resolved<AnyOf>(single_line(line, std::nullopt));
    first.record.place = place_of(series.lists, first);
    const std::string place = options.vary_seed ? place_text(first) : "";
    for (std::uint32_t repetition = 0; repetition < options.repeat; ++repetition) {
      const std::uint64_t seed = repeated_seed(first.cluster.seed, repetition, place);
      AnyOf point = seed == first.cluster.seed ? first : resolved<AnyOf>(single_line(line, seed));
      point.record.place = place_of(series.lists, point);
      if (own_seeds && !series.lists.contains("seed")) {
        point.record.place.emplace_back("seed", std::to_string(seed));
      }
      whole.measurements.push_back(std::move(point));
    }
  }
}

// Names files in lists as the measurements do, by absolute paths.
template <typename AnyOf>
void name_files(AnyOf& whole, std::map<std::string, std::string>& lists) {
  const Keys own = whole.keys();
  for (auto& [key, text] : lists) {
    const Key& listed = *find_key(own, key);
    if (!names_file(listed)) continue;
    std::vector<std::string> values;
    for (AnyOf& point : whole.measurements) {
      std::string value = recorded_text(*find_key(point.keys(), key));
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
    text = list_text(key, values);
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
    throw ConflictError({kKey}, fmt::format("{} = {}: applies to a single run, not to a list", kKey,
                                            found->second));
  }
}

template <typename AnyOf>
AnyOf resolve_measuring(const CommandLine& line) {
  Series series = expand_lists(line);
  AnyOf whole = resolved<AnyOf>(series.lines.front());
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
  name_files(whole, series.lists);
  check_checkpoints(whole);
  std::vector<const ConfigurationRecord*> records;
  records.reserve(whole.measurements.size());
  for (const AnyOf& each : whole.measurements) records.push_back(&each.record);
  make_series_record(whole, records, std::move(series.lists));
  return whole;
}

template <typename AnyOf>
void record_files(AnyOf& whole) {
  NamedFiles files;
  if (whole.measurements.empty()) whole.record.files = files.of(whole);
  for (AnyOf& each : whole.measurements) {
    each.record.files = files.of(each);
    whole.record.files.insert(each.record.files.begin(), each.record.files.end());
  }
}

// `run --verify` and nothing else: the usual run hardly has conflicts that could show an error.
bool only_verifies(const CommandLine& line) {
  return line.command == Command::kRun && line.config.empty() && line.sets.empty() &&
         line.flags.size() == 1 && line.flags.front().key == "verify" &&
         line.flags.front().value == "true";
}

}  // namespace

AnyCommand resolve(const CommandLine& line) {
  if (only_verifies(line)) {
    CommandLine hunt;
    hunt.command = Command::kHunt;
    hunt.flags.push_back({.key = "seeds", .value = "240", .place = "run --verify"});
    return resolve(hunt);
  }
  AnyCommand command = make_command(line.command);
  std::visit(
      [&line]<typename AnyOf>(AnyOf& own) {
        if constexpr (requires { own.measurements; }) {
          own = resolve_measuring<AnyOf>(line);
          record_files(own);
        } else {
          resolve_single(line, own);
          own.record.files = NamedFiles().of(own);
        }
      },
      command);
  return command;
}

}  // namespace verbena::experiments
