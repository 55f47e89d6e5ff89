// Keys in words: what --help and list print of the registry.
#pragma once

#include <string>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Placeholder of the value in a usage line: "N", "TIME", "each|batched".
std::string placeholder(const Parameter& parameter);

/// Meaning of the key to `command`, and its value when nothing is said, e.g. "machines of the
/// cluster (16)"; who has it, if not everybody.
std::string help_text(const Key& key, Command command);

/// The same with what the key may be, and what it is when nothing is said in every command that has
/// it: "machines of the cluster (a whole number from 1 to 1024; otherwise 16, of explain 2)".
std::string full_text(const Key& key);

}  // namespace verbena::experiments
