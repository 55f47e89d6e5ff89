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

/// Finds a system's text by its name, or by the path of a file, which ends in .toml. Throws
/// ConfigurationError for a system that is unknown or cannot be read.
SystemText system_text(const std::string& system);

/// Returns the protocol that a system's text names, or else "occ". Throws ConfigurationError, with
/// file and line, when the text is not TOML.
std::string protocol_of(const SystemText& system);

/// Description of a system in its text.
struct SystemWords {
  std::string name;
  std::string description;
  std::string source;
};

/// Reads the text of a system that has only these members. Throws ConfigurationError, with file and
/// line, for any other.
SystemWords system_words(const std::string& name, const std::string& file, std::string_view text);

/// Parses the plan that `text` (see txn/systems) describes. Throws ConfigurationError that begins
/// with `file` and the line, and tells what is allowed, for unknown or missing members and for
/// wrong values. Does not check that the plan works; resolve does.
Plan parse_plan(const std::string& name, const std::string& file, std::string_view text);

}  // namespace verbena::txn
