// Texts of anomalies: impossible observations of clients, attempt by attempt.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Lines for people, each with its label: begin and end of the anomaly's attempts, their reads and
/// writes, and why each comes before the next. Values are shown as digests. For an attempt of many
/// records, those that the edges involve come first and the last are left out. Empty without an
/// anomaly.
std::vector<std::pair<std::string, std::string>> anomaly_lines(const Verdict& verdict);

/// Makes a document with all reads and writes; null without an anomaly.
nlohmann::json anomaly_document(const Verdict& verdict);

}  // namespace verbena::experiments
