// Transaction systems by their names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "txn/system.h"

namespace verbena::txn {

/// A system of the program (a file of txn/systems) by its name, or the system in a file by its
/// path, which ends in .toml. Its member `protocol` tells who reads the rest. Throws
/// ConfigurationError, with file and line, for what cannot be read.
std::unique_ptr<System> load_system(const std::string& system);

/// The name of the protocol that reads what a system's file says ("occ", "nam", ...); `system` and
/// what is thrown are as for load_system.
std::string protocol_of_system(const std::string& system);

/// Names of the program's systems, sorted.
std::vector<std::string> system_names();

/// The phases of the program's systems, each once, in the order in which systems name them.
std::vector<std::string> phases_of_systems();

/// The same of SystemInfo::times.
std::vector<std::string> times_of_systems();

}  // namespace verbena::txn
