// Utilization of resources and the bound, as members of a document.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Adds `bound_by` and `utilization` to the document of `measurement`, where the fabric reports
/// them.
void add_utilization(nlohmann::json& document, const Measurement& measurement);

}  // namespace verbena::experiments
