// A run that may fail, as a list of its settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbena::experiments {

/// One setting of a run, with simpler values to try when the run fails.
struct HuntedSetting {
  std::string key;    ///< of a flag, or SECTION.NAME
  std::string value;  ///< of a switch "true"
  /// The simplest first; "" leaves the setting out.
  std::vector<std::string> simpler = {};

  bool operator==(const HuntedSetting&) const = default;
};

/// A run `verbena run --verify` with these settings. No two have the same key.
struct HuntedRun {
  std::uint64_t seed = 1;
  std::vector<HuntedSetting> settings;

  /// Arguments of the run, without the program's name.
  std::vector<std::string> arguments() const;

  /// Command that repeats the run, as one line for a shell.
  std::string command_line() const;

  /// The value of `key`; empty if it has none.
  std::string value_of(const std::string& key) const;
};

}  // namespace verbena::experiments
