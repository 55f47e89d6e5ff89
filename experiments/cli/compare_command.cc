// `verbena compare A B`: what differs beyond chance between two results, or two commands.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "experiments/cli/command_line.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/faulty_run.h"
#include "experiments/cli/measuring.h"
#include "experiments/compare/compare_report.h"
#include "experiments/config/input_pipe.h"
#include "experiments/config/keys/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/publish.h"
#include "experiments/report/text/configuration_text.h"
#include "experiments/sweep/sweep_document.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

// The words of a command as a shell takes them, with quotes of both kinds.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    const bool opens = quote == 0 && (c == '\'' || c == '"');
    const bool closes = quote != 0 && c == quote;
    if (opens || closes) {
      quote = opens ? c : '\0';
    } else if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (!opens && !closes) words.back() += c;
  }
  if (quote != 0) {
    throw ConfigurationError(fmt::format("compare: {}: a quote is not closed", printable(text)));
  }
  return words;
}

// The arguments of a side that is measured; nothing for a file of results.
std::optional<std::vector<std::string>> arguments_of(const std::string& side) {
  if (side.ends_with(".toml") && side.find(' ') == std::string::npos) {
    return std::vector<std::string>{"run", "--config", side};
  }
  std::vector<std::string> words = words_of(side);
  if (!words.empty() && words.front() == "verbena") words.erase(words.begin());
  if (words.empty() || (words.front() != "run" && words.front() != "bench")) return std::nullopt;
  return words;
}

Sweep sweep_of_side(const CompareCommand& command, const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse_arguments(arguments);
  if (parsed.text) throw ConfigurationError("expected a run or a bench");
  CommandLine line = parsed.line;
  if (command.repeat > 1) {
    line.config.insert(line.config.begin(), {"repeat", std::to_string(command.repeat), "--repeat"});
  }
  line.sets.insert(line.sets.end(), command.sets.begin(), command.sets.end());
  for (const Assignment& said : line.flags) {
    for (const char* file : {"json", "out", "trace", "history", "reached"}) {
      if (said.key == file) {
        throw ConfigurationError(
            fmt::format("--{}: does not apply to a side; compare itself writes files, by its own "
                        "--json",
                        file));
      }
    }
  }
  AnyCommand resolved = resolve(line);
  say_changed_files(line, options_of(resolved).record);
  if (const auto* run = std::get_if<RunCommand>(&resolved)) {
    check_points_of_deaths(*run);
    return sweep_of(*run, configuration_text(*run));
  }
  const auto& bench = std::get<BenchCommand>(resolved);
  return sweep_of(bench, configuration_text(bench));
}

// One of both: measured, or read.
struct Side {
  std::string name;
  std::optional<Sweep> sweep;
  std::string document;
};

Side side_of(const CompareCommand& command, const std::string& text) {
  Side side{.name = text, .sweep = {}, .document = {}};
  const auto arguments = arguments_of(text);
  if (!arguments) {
    side.document = read_file_or_pipe(text, refused_text(text));
    return side;
  }
  try {
    side.sweep = sweep_of_side(command, *arguments);
    check_memory(*side.sweep);
  } catch (const ConfigurationError& error) {
    throw ConfigurationError(fmt::format("compare: {}: {}", printable(text), error.what()));
  }
  return side;
}

void check_used(const CompareCommand& command, const std::vector<Side>& sides) {
  for (const Side& side : sides) {
    if (side.sweep) return;
  }
  const char* unused = command.repeat > 1      ? "--repeat"
                       : !command.sets.empty() ? "--set"
                       : command.jobs          ? "--jobs"
                                               : nullptr;
  if (unused == nullptr) return;
  throw ConfigurationError(fmt::format(
      "{}: applies only to sides that are measured, and both are files of results", unused));
}

// That of all failures, where it is one; but 1, which is a verdict.
int code_without_sides(const std::vector<FailedPoint>& failures) {
  const int first = failures.front().code;
  const bool alike = std::ranges::all_of(
      failures, [&](const FailedPoint& failed) { return failed.code == first; });
  return alike && first > kFailure ? first : kNotMeasured;
}

// Measures the sides that have to be, and fills in their documents. Returns an ExitCode; ends by
// the signal that interrupts it.
int measure_sides(const CompareCommand& command, std::vector<Side>& sides) {
  std::vector<const MeasuringCommand*> points;
  bool simulated = true;
  for (const Side& side : sides) {
    if (!side.sweep) continue;
    simulated = simulated && side.sweep->record.simulated;
    for (const MeasuringCommand& point : side.sweep->points) points.push_back(&point);
  }
  if (points.empty()) return kSuccess;
  std::optional<TemporaryDirectory> directory(std::in_place);
  PointStore store(directory->path());
  MeasuredPoints all;
  {
    const ProcessPool pool;
    PointMeasuring how = measuring_of(command.jobs, simulated);
    how.tell_progress = command.output.progress;
    all = measure_points(points, how, store, pool);
    if (all.signal != 0) say("interrupted before anything was compared");
  }
  directory.reset();
  if (all.signal != 0) std::raise(all.signal);
  for (const FailedPoint& failure : all.failures) say("point failed: " + failure.text);
  if (!all.failures.empty()) return code_without_sides(all.failures);
  auto next = all.results.begin();
  for (Side& side : sides) {
    if (!side.sweep) continue;
    const auto count = static_cast<std::ptrdiff_t>(side.sweep->points.size());
    MeasuredSweep measured{.sweep = &*side.sweep, .points = {}};
    measured.points.results.assign(next, next + count);
    next += count;
    side.document = sweep_document(measured);
  }
  return kSuccess;
}

}  // namespace

int execute(const CompareCommand& command) {
  std::vector<Side> sides;
  sides.reserve(command.names.size());
  for (const std::string& text : command.names) sides.push_back(side_of(command, text));
  check_used(command, sides);
  check_points_of_deaths(command.sets);
  std::optional<OutputFile> json;
  if (!command.output.json.empty()) json.emplace(command.output.json);
  if (const int code = measure_sides(command, sides); code != kSuccess) return code;
  const ComparedSide before = read_side(sides[0].name, sides[0].document);
  const ComparedSide after = read_side(sides[1].name, sides[1].document);
  const SidesCompared compared = compare_sides(before, after, command.tolerance_percent / 100);
  std::fputs(comparison_table(compared).c_str(), stream_for_people(command.output));
  if (json) json->commit(comparison_document(compared));
  return compared.worse() ? kFailure : kSuccess;
}

}  // namespace verbena::experiments
