// What a history that is wrong did, transaction by transaction.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/report.h"

namespace verbena::experiments {

/// For people, each with its label: when the violation's transactions began and ended, what each
/// read and wrote, and why each comes before the next. Empty without a violation. A transaction of
/// many records shows those that the edges are about first, and leaves out the last.
std::vector<std::pair<std::string, std::string>> violation_lines(const Verdict& verdict);

/// The same as a document, with all that was read and written; null without a violation.
nlohmann::json violation_document(const Verdict& verdict);

}  // namespace verbena::experiments
