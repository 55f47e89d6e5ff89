// The JSON document of an explained request.
#include <nlohmann/json.hpp>

#include "experiments/config/config_file.h"
#include "experiments/explain/explanation.h"
#include "experiments/report/build_info.h"
#include "experiments/report/json_report.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

constexpr double kMillion = 1e6;

json limit_or_null(double millions) {
  return millions == 0 ? json(nullptr) : json(millions * kMillion);
}

}  // namespace

std::string explanation_document(const ExplainCommand& command, const Explanation& explanation) {
  json document = {{"schema", {{"name", kExplanationName}, {"version", kExplanationVersion}}},
                   {"config", config_document(command.record)},
                   {"commit", build_commit()},
                   {"total_ns", explanation.total_ns},
                   {"rows", json::array()},
                   {"limits", json::array()},
                   {"request_route", explanation.request_route},
                   {"response_route", explanation.response_route}};
  for (const ExplainedRow& row : explanation.rows) {
    document["rows"].push_back(
        {{"stage", row.stage},
         {"station", row.station},
         {"latency_ns", row.latency_ns},
         {"service_ns", command.is_call() ? json(nullptr) : json(row.service_ns)},
         {"limit_per_s", limit_or_null(row.limit)},
         {"constants", row.constants}});
  }
  for (const ExplainedLimit& limit : explanation.limits) {
    document["limits"].push_back({{"place", limit.place},
                                  {"resource", limit.resource},
                                  {"busy_ns", limit.busy_ns},
                                  {"limit_per_s", limit_or_null(limit.limit)}});
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace verbena::experiments
