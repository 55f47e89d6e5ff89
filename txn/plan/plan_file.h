// Systems as text: files of plans, and changes of single members.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "txn/plan/plan.h"

namespace verbena::txn {

/// The texts of the systems that are part of the program, by name.
const std::map<std::string, std::string>& built_in_systems();

/// A system as it stands in a file.
struct SystemText {
  std::string name;  ///< of the system
  std::string file;  ///< for messages
  std::string text;
};

/// Finds a system's text, by its name, or by the path of a file, which ends in .toml. Throws
/// ConfigurationError for what is unknown or cannot be read.
SystemText system_text(const std::string& system);

/// The protocol that a system's text asks for; "occ" if it does not say. Throws
/// ConfigurationError, with file and line, for what is no TOML.
std::string protocol_of(const SystemText& system);

/// Description of a system in its text.
struct SystemWords {
  std::string name;
  std::string description;
  std::string source;
};

/// Reads the text of a system that says no more than that. Throws ConfigurationError, with file and
/// line, for anything else in it.
SystemWords system_words(const std::string& name, const std::string& file, std::string_view text);

/// The plan that `text` (see txn/systems) describes. Strict: throws ConfigurationError that begins
/// with `file` and the line for unknown or missing members and values that are not allowed, and
/// tells what is allowed. Does not check whether the plan works; resolve does.
Plan parse_plan(const std::string& name, const std::string& file, std::string_view text);

}  // namespace verbena::txn
