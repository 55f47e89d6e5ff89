// A report as one versioned JSON document. docs/reference/documents.md describes its members.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// The document, indented, with a newline at its end. Members are in alphabetical order, so that
/// equal reports give equal texts.
std::string json_document(const Report& report);

/// Its member `config`, which all documents have: the settings that concern the command and fabric,
/// the overrides, and the command line that repeats it.
nlohmann::json config_document(const ConfigurationRecord& record);

}  // namespace verbena::experiments
