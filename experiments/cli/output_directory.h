// The directory of --out, before anything is written there.
#pragma once

#include <string>
#include <vector>

namespace verbena::experiments {

/// Throws ConfigurationError when `directory` has something that a command would replace but that
/// verbena did not write: `document`, a JSON document, or one of `files`. Where a document of
/// verbena lies beside its `points`, all files are verbena's; elsewhere only drawings are, which
/// are known by their scripts. Directories of these names are refused everywhere.
void check_output_directory(const std::string& directory, const std::string& document,
                            const std::vector<std::string>& files);

/// Returns names of a plot's files, whose name without extension is `stem`.
std::vector<std::string> plot_files(const std::string& stem);

}  // namespace verbena::experiments
