// Which sources the program was built from, and what it runs with.
#pragma once

#include <map>
#include <string>

namespace verbena::experiments {

/// The git commit, with "+" when the sources differed from it; "unknown" when they were in no
/// repository.
const char* build_commit();

/// Versions of the libraries on which results of a run may depend, by name.
std::map<std::string, std::string> library_versions();

}  // namespace verbena::experiments
