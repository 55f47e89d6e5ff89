// Where the time of one request goes, station by station, and what limits many of them.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/commands/explain.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// A station that a request visits in a stage, or, called "wait", what it waits for in it.
struct ExplainedRow {
  std::string stage;
  std::string station;
  double latency_ns = 0;  ///< that the request waits for it
  double service_ns = 0;  ///< that the station is busy with it
  double limit = 0;       ///< millions per second that one such station serves; 0: no limit
  std::vector<std::string> constants;  ///< that change it, as overrides spell them
};

/// Cost of a request to a resource.
struct ExplainedLimit {
  std::string place;
  std::string resource;
  double busy_ns = 0;
  double limit = 0;  ///< millions per second, of all of a NIC's processing units
};

/// All of one request.
struct Explanation {
  double total_ns = 0;                 ///< the sum of all rows' latencies
  std::vector<ExplainedRow> rows;      ///< in the order of the stages
  std::vector<ExplainedLimit> limits;  ///< the tightest first
  std::vector<std::string> request_route;
  std::vector<std::string> response_route;
};

/// Runs the request that `command` describes on an idle cluster, again and again: once for each
/// constant, changed, and in the end as it is, which `also`, unless null, is told. Throws as
/// charge_request does.
Explanation explain(const ExplainCommand& command, simnic::Observer* also = nullptr);

/// The explanation as one versioned JSON document. docs/reference/documents.md describes its
/// members.
std::string explanation_document(const ExplainCommand& command, const Explanation& explanation);

}  // namespace verbena::experiments
