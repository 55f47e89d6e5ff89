// The settings of the program: one table from which flags, configuration files, --set, help and
// reports are made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/config/options.h"

namespace verbena::experiments {

/// Sets of commands, as bits.
enum CommandSet : unsigned {
  kForRun = 1,
  kForBench = 2,
  kForDoctor = 4,
  kForReproduce = 8,
  kForExplain = 16,
  kForMeasuring = kForRun | kForBench,
  kForSimulating = kForMeasuring | kForExplain
};

/// The bit of `command`.
unsigned command_bit(Command command);

/// On which fabric a setting means something.
enum class FabricKind { kAny, kSim, kVerbs };

/// One setting. Its kind follows from the member of Options that it is kept in.
struct Setting {
  using Target = std::variant<std::uint32_t Options::*, std::uint64_t Options::*,
                              Nanoseconds Options::*, bool Options::*, std::string Options::*>;

  std::string name;         ///< of the flag (without dashes) and of the key in files
  std::string placeholder;  ///< of the value in help texts
  std::string help;
  Target target;
  unsigned commands = kForMeasuring;
  FabricKind fabric = FabricKind::kAny;
  std::uint64_t minimum = 0;  ///< of numbers; durations in nanoseconds
  std::uint64_t maximum = UINT64_MAX;
  std::vector<std::string> choices = {};  ///< of texts; empty: any text that `check` accepts
  bool file_too = false;                  ///< besides the choices, the path of a TOML file
  /// What is expected instead of a text; empty when the text is fine.
  std::string (*check)(const std::string& text) = nullptr;

  bool is_switch() const { return std::holds_alternative<bool Options::*>(target); }
};

/// All settings, in the order of help texts.
std::span<const Setting> settings();

/// The setting of this name, or null.
const Setting* find_setting(std::string_view name);

/// Parses `text` into the setting's member of `options`. Throws ConfigurationError that begins with
/// `place`, e.g. "--nodes", when it is not allowed.
void assign(const Setting& setting, const std::string& text, const std::string& place,
            Options& options);

/// The value as `assign` takes it, or the list of values that the setting was given.
std::string value_text(const Setting& setting, const Options& options);

/// What every setting is when nothing was said, for this command and fabric. `peers` is the number
/// of peers given; 0: none.
Options default_options(Command command, const std::string& operation, bool simulated,
                        std::uint32_t peers);

}  // namespace verbena::experiments
