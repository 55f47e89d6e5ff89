// Hunts as files, for other programs and for tools that collect test results.
#pragma once

#include <string>

#include "experiments/hunt/hunt_record.h"

namespace verbena::experiments {

/// Formats a hunt as a versioned JSON document, indented, with a newline at its end.
/// docs/reference/documents.md describes its members. `command_line` is that of the hunt or of the
/// merge.
std::string hunt_document(const HuntRecord& record, const std::string& command_line);

/// Reads the record of such a document. Throws ConfigurationError, naming `path`, for other text or
/// another version.
HuntRecord read_hunt(const std::string& path);

/// Formats a hunt as JUnit XML, which CI systems read as test results: a suite for each system,
/// with a case for its runs that passed and one for each failure.
std::string hunt_junit(const HuntRecord& record);

}  // namespace verbena::experiments
