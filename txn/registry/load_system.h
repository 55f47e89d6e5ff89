// Transaction systems by their names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "txn/system.h"

namespace verbena::txn {

/// Loads a system of the program (a file of txn/systems) by its name, or one in a file by its path,
/// which ends in .toml. Its member `protocol` chooses the code that reads the rest. Throws
/// ConfigurationError, with file and line, when it cannot be read.
std::unique_ptr<System> load_system(const std::string& system);

/// Returns the name of a system's protocol ("occ", "nam", ...). Takes and throws what load_system
/// does.
std::string protocol_of_system(const std::string& system);

/// Names of the program's systems, sorted.
std::vector<std::string> system_names();

/// The phases of the program's systems, each once, in the order in which systems name them.
std::vector<std::string> phases_of_systems();

/// The SystemInfo::times of these systems, likewise.
std::vector<std::string> times_of_systems();

}  // namespace verbena::txn
