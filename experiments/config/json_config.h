// The configuration that a result document holds, to repeat its run.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// What every document names itself in its member `schema`; docs/running.md tells when the version
/// grows.
inline constexpr const char* kSchemaName = "verbena.results";
inline constexpr int kSchemaVersion = 2;

/// The settings and overrides of the document `text` of `file`, as json_document writes it, all but
/// the name of its result file. Throws ConfigurationError for what is no such document of this
/// version, and when it is of another command than `line` has.
std::vector<Assignment> parse_results(const std::string& file, const std::string& text,
                                      const CommandLine& line);

}  // namespace verbena::experiments
