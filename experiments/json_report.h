// A report as one versioned JSON document. docs/running.md describes its members.
#pragma once

#include <string>

#include "experiments/report.h"

namespace verbena::experiments {

/// The document, indented, with a newline at its end. Members are in alphabetical order, so that
/// equal reports give equal texts.
std::string json_document(const Report& report);

}  // namespace verbena::experiments
