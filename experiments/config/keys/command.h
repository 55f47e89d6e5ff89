// The table of commands, their options, and the record of how these were configured.
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

/// Keys that --set may assign: the command's own, which a file of --config may assign too; those of
/// the runs that it makes; or none.
enum class Settings { kOwn, kOfOthers, kNone };

/// Name, help and arguments of a command.
struct CommandRow {
  Command command;
  const char* name;
  const char* help;
  Settings settings = Settings::kNone;
  std::vector<std::string> words = {};  ///< one of these follows the name; empty: none does
  const char* word = "operation";       ///< what `words` are called
  const char* without_word = "";        ///< effect of leaving the word out; empty: it is required
  const char* names = "";               ///< other arguments that follow the name; empty: none
  const char* names_help = "";
};

/// The rows in the order of Command, which is also that of help texts.
const std::vector<CommandRow>& command_table();

const CommandRow& row_of(Command command);

/// "run", "bench".
const char* command_name(Command command);

/// Configuration of a command, for reports and for repeating it.
struct ConfigurationRecord {
  using Value = std::variant<bool, std::uint64_t, std::string>;

  Command command = Command::kRun;
  std::string operation;  ///< of bench and explain
  bool simulated = true;
  /// Flags that configure the same again, in the order of help texts: names without dashes, and
  /// values, which switches do not have.
  std::vector<std::pair<std::string, std::string>> flags;
  std::map<std::string, std::string> overrides;  ///< values of SECTION.KEY, as given
  std::map<std::string, std::string> lists;      ///< of a series: texts of lists, by key
  /// Values that tell one measurement of a series from the others, by flag or override.
  std::vector<std::pair<std::string, std::string>> place;
  std::map<std::string, Value> values;  ///< by flag, without those that follow from a list
  std::map<std::string, std::string> files = {};  ///< see NamedFiles; of all measurements

  /// On hardware: all keys and values that must be equal in all processes of a cluster.
  std::vector<std::pair<std::string, std::string>> shared = {};

  /// Arguments that configure the same again, without the program's name.
  std::vector<std::string> arguments() const;

  /// These arguments as one line for a shell, beginning with "verbena".
  std::string command_line() const;
};

/// One value that a user gave to a key.
struct Assignment {
  std::string key;  ///< "nodes", "rdma.signal_interval"
  std::string value;
  std::string place;  ///< where it was given, for messages: "--nodes", "cluster.toml:3:9: nodes"

  /// "KEY=VALUE".
  std::string text() const { return key + "=" + value; }
};

/// The keys that were given a value.
using Said = std::set<std::string>;

/// Options of a command. The functions are called in the order of their declarations; before the
/// first, `names`, `sets` and the record's operation are set.
struct CommandOptions {
  ConfigurationRecord record;
  std::vector<std::string> names;  ///< arguments of the command: figures, sides, files
  std::vector<Assignment> sets;    ///< settings for all runs that it measures or hunts

  virtual ~CommandOptions() = default;

  /// Some of the keys, as keys() has them: at least the fabric, the peers, the system and the
  /// workload where it has these.
  virtual Keys first_keys() { return keys(); }

  /// Loads the operation, the system and the workload by their names. Throws ConfigurationError for
  /// a system that cannot be used.
  virtual void load() {}

  /// The keys, bound to members, in the order of help texts. They are valid as long as the command
  /// is not moved or destroyed.
  virtual Keys keys() { return {}; }

  /// Sets the defaults. The operation, the fabric, the peers, the system and the workload are set
  /// before.
  virtual void set_defaults() {}

  /// True if keys of the simulation apply; otherwise those of hardware do.
  virtual bool is_simulated() const { return true; }

  /// Sets values that the user did not give but that follow from those given.
  virtual void derive(const Said&) {}

  /// Throws ParameterError, ConflictError or another ConfigurationError for the first violated
  /// condition among several values.
  virtual void check(const Said&) {}

  /// Copies values that several structures share to each of them. Throws ParameterError for a
  /// change that the system does not allow.
  virtual void complete() {}

  /// Throws ParameterError for the current value of `key`; `why` tells which values are allowed.
  [[noreturn]] void refuse(const std::string& key, const std::string& why);
};

}  // namespace verbena::experiments
