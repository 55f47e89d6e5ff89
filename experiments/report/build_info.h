// The sources that the program was built from, and the libraries that it uses.
#pragma once

#include <map>
#include <string>

namespace verbena::experiments {

/// The git commit, with "+" when the sources had uncommitted changes; "unknown" outside of a
/// repository.
const char* build_commit();

/// Versions of the libraries that may influence results of a run, by name.
std::map<std::string, std::string> library_versions();

}  // namespace verbena::experiments
