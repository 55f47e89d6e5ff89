// Texts of anomalies: observations of clients that cannot be, attempt by attempt.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// For people, each with its label: when the anomaly's attempts began and ended, what each read and
/// wrote, and why each comes before the next. Values are their digests. Empty without an anomaly.
/// An attempt of many records shows those that the edges are about first, and leaves out the last.
std::vector<std::pair<std::string, std::string>> anomaly_lines(const Verdict& verdict);

/// The same as a document, with all that was read and written; null without an anomaly.
nlohmann::json anomaly_document(const Verdict& verdict);

}  // namespace verbena::experiments
