// Descriptions of keys, for --help and list.
#pragma once

#include <string>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Placeholder of the value in a usage line: "N", "TIME", "each|batched".
std::string placeholder(const Parameter& parameter);

/// Meaning of the key for `command`, with its default, e.g. "machines of the cluster (16)"; with
/// the systems or workloads that have it, if not all do.
std::string help_text(const Key& key, Command command);

/// Meaning of the key with its allowed values and its default in each command that has it:
/// "machines of the cluster (a whole number from 1 to 1024; otherwise 16, of explain 2)".
std::string full_text(const Key& key);

}  // namespace verbena::experiments
