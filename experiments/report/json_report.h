// A report as one versioned JSON document. docs/reference/documents.md describes its members.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Formats the report, indented, with a newline at its end. Members are in alphabetical order, so
/// that equal reports give equal texts.
std::string json_document(const Report& report);

/// Makes the member `config` of all documents: the settings that apply to the command and fabric,
/// the overrides, the digests of files, and the command line that repeats the measurement.
nlohmann::json config_document(const ConfigurationRecord& record);

}  // namespace verbena::experiments
