// Names and helps of commands, and their records as arguments.
#include "experiments/config/keys/command.h"

#include <cstddef>
#include <string_view>

#include "experiments/bench/bench_options.h"

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

}  // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> rows = {
      {.command = Command::kRun,
       .name = "run",
       .help = "run transactions on a cluster and measure them; here and in bench, a list or range "
               "such as --nodes 4,8 or --nodes 4..64*2 measures each value",
       .settings = Settings::kOwn},
      {.command = Command::kBench,
       .name = "bench",
       .help = "measure one operation in closed loops",
       .settings = Settings::kOwn,
       .words = operation_names()},
      {.command = Command::kHunt,
       .name = "hunt",
       .help =
           "look for errors: random runs on small clusters with faults, verified; what fails is "
           "made as small as it can be",
       .settings = Settings::kOfOthers,
       .names = "files",
       .names_help = "for --merge: two or more files that hunt --json wrote"},
      {.command = Command::kReproduce,
       .name = "reproduce",
       .help = "measure published figures again and compare with what was published",
       .settings = Settings::kOfOthers,
       .names = "figures",
       .names_help = "names as --list shows them, GROUP/all, all, or paths of figure files, which "
                     "end in .toml"},
      {.command = Command::kCompare,
       .name = "compare",
       .help = "tell what differs beyond chance between two results, or two commands",
       .settings = Settings::kOfOthers,
       .names = "sides",
       .names_help =
           "two sides, each a file of results (--json of run or bench), or measured first: a file "
           "of settings of run, which ends in .toml, or a whole command such as 'run --nodes 4'"},
      {.command = Command::kExplain,
       .name = "explain",
       .help = "show where the time of one request on an idle simulated cluster goes, station by "
               "station",
       .settings = Settings::kOwn,
       .words = {"read", "write", "send", "cas", "faa", "rpc", "write-rpc", "indirect-read",
                 "prism-write", "allocate", "prism-cas"}},
      {.command = Command::kList,
       .name = "list",
       .help = "show systems, workloads, profiles, and explain every key",
       .words = {"nics", "cpus", "fabrics", "systems", "plans", "workloads", "keys"},
       .word = "topic",
       .without_word = "all names when there is none",
       .names = "words",
       .names_help = "for keys: only those with all of these words in their name or explanation"},
      {.command = Command::kDoctor,
       .name = "doctor",
       .help = "look at the RDMA devices of this machine and say what to mend"}};
  return rows;
}

const CommandRow& row_of(Command command) {
  return command_table()[static_cast<std::size_t>(command)];
}

const char* command_name(Command command) { return row_of(command).name; }

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

void CommandOptions::refuse(const std::string& key, const std::string& why) {
  const Keys all = keys();
  throw ParameterError(key, value_text(find_key(all, key)->parameter), why);
}

}  // namespace verbena::experiments
