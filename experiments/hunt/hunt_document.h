// Hunts as files: for programs that go on with them, and for whoever gathers the results of tests.
#pragma once

#include <string>

#include "experiments/hunt/hunt_record.h"

namespace verbena::experiments {

/// One versioned JSON document, indented, with a newline at its end; docs/reference/documents.md
/// describes its members. `command_line` is what the hunt was started with, or the merge.
std::string hunt_document(const HuntRecord& record, const std::string& command_line);

/// The record of such a document. Throws ConfigurationError, naming `path`, for what is none, or
/// of another version.
HuntRecord read_hunt(const std::string& path);

/// The same as JUnit XML, which CI systems take for results of tests: a suite for each system,
/// which has a case for its runs that held and one for each failure.
std::string hunt_junit(const HuntRecord& record);

}  // namespace verbena::experiments
