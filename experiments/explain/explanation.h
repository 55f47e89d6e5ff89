// The time of one request, station by station, and the limits on the rate of many.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/commands/explain.h"
#include "simnic/observe/observer.h"

namespace verbena::experiments {

/// A station that a request visits in a stage, or its wait in that stage, as station "wait".
struct ExplainedRow {
  std::string stage;
  std::string station;
  double latency_ns = 0;  ///< time that the station adds to the request
  double service_ns = 0;  ///< time that the station is busy with the request
  double limit = 0;       ///< rate of one such station, in millions per second; 0: no limit
  std::vector<std::string> constants;  ///< overrides that change the row
};

/// Load of one request on a resource.
struct ExplainedLimit {
  std::string place;
  std::string resource;
  double busy_ns = 0;
  double limit = 0;  ///< millions per second, of all of a NIC's processing units
};

/// Explanation of one request.
struct Explanation {
  double total_ns = 0;                 ///< the sum of all rows' latencies
  std::vector<ExplainedRow> rows;      ///< in the order of the stages
  std::vector<ExplainedLimit> limits;  ///< the tightest first
  std::vector<std::string> request_route;
  std::vector<std::string> response_route;
};

/// Explains the request that `command` describes. Runs it on an idle cluster once for each
/// constant, with that constant changed, and last as it is; `also`, unless null, observes the last
/// run. Throws as charge_request does.
Explanation explain(const ExplainCommand& command, simnic::Observer* also = nullptr);

/// The explanation as one versioned JSON document. docs/reference/documents.md describes its
/// members.
std::string explanation_document(const ExplainCommand& command, const Explanation& explanation);

}  // namespace verbena::experiments
