// The table of commands, their options, and how these came about.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/config/keys/key.h"

namespace verbena::experiments {

enum class Command { kRun, kBench, kHunt, kReproduce, kCompare, kExplain, kList, kDoctor };

/// Keys that --set gives a value: the command's own, which a file of --config may give too, or
/// those of the runs that it makes.
enum class Settings { kOwn, kOfOthers, kNone };

/// All of a command that is text.
struct CommandRow {
  Command command;
  const char* name;
  const char* help;
  Settings settings = Settings::kNone;
  std::vector<std::string> words = {};  ///< of which one stands behind it; empty: none does
  const char* word = "operation";       ///< name of these
  const char* without_word = "";        ///< what it does without one; empty: there has to be one
  const char* names = "";               ///< what stands behind it else; empty: nothing
  const char* names_help = "";
};

/// The rows in the order of Command, which is that of help texts.
const std::vector<CommandRow>& command_table();

const CommandRow& row_of(Command command);

/// "run", "bench".
const char* command_name(Command command);

/// How a command was configured, for reports and to repeat it.
struct ConfigurationRecord {
  using Value = std::variant<bool, std::uint64_t, std::string>;

  Command command = Command::kRun;
  std::string operation;  ///< of bench and explain
  bool simulated = true;
  /// Flags that configure the same again, in the order of help texts: flags without
  /// dashes and their values, of switches none.
  std::vector<std::pair<std::string, std::string>> flags;
  std::map<std::string, std::string> overrides;  ///< what was set as SECTION.KEY, as given
  std::map<std::string, std::string> lists;      ///< of a series: those of several values, by key
  /// Values that tell one measurement of a series from the others, by flag or override.
  std::vector<std::pair<std::string, std::string>> place;
  std::map<std::string, Value> values;  ///< by flag, without those that follow from a list

  /// On hardware: all that has to be the same in the processes of a cluster, by key.
  std::vector<std::pair<std::string, std::string>> shared = {};

  /// That configure the same again, without the program's name.
  std::vector<std::string> arguments() const;

  /// The same as one line for a shell, beginning with "verbena".
  std::string command_line() const;
};

/// One thing that was said.
struct Assignment {
  std::string key;  ///< "nodes", "rdma.signal_interval"
  std::string value;
  std::string place;  ///< where, for messages: "--nodes", "cluster.toml:3:9: nodes"

  /// "KEY=VALUE".
  std::string text() const { return key + "=" + value; }
};

/// The keys that were given a value.
using Said = std::set<std::string>;

/// Options of a command. They come about in the order of the functions; to begin with, the record
/// has the operation, and `names` and `sets` are there.
struct CommandOptions {
  ConfigurationRecord record;
  std::vector<std::string> names;  ///< that stand behind it: figures, sides, files
  std::vector<Assignment> sets;    ///< for all that it measures or hunts

  virtual ~CommandOptions() = default;

  /// Loads what the operation, the system and the workload name. Throws ConfigurationError for a
  /// system that cannot be used.
  virtual void load() {}

  /// The keys, bound to members, in the order of help texts. They live as long as the command
  /// stays where it is.
  virtual Keys keys() { return {}; }

  /// Sets all that was not said; the operation, the fabric, the peers, the system and the workload
  /// are there already.
  virtual void set_defaults() {}

  /// True if keys of the simulation apply, and those of hardware do not.
  virtual bool is_simulated() const { return true; }

  /// Sets what was not said but follows from what was.
  virtual void derive(const Said&) {}

  /// Throws ParameterError, ConflictError or another ConfigurationError for the first thing that
  /// does not hold between several values.
  virtual void check(const Said&) {}

  /// Hands what several structures share to each of them. Throws ParameterError for a system that
  /// cannot be changed so.
  virtual void complete() {}

  /// Throws ParameterError for `key` with the value that it has; `why` says what is allowed.
  [[noreturn]] void refuse(const std::string& key, const std::string& why);
};

}  // namespace verbena::experiments
