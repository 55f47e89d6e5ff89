// Rows from what one request was charged, and from what other constants would have charged.
#include "experiments/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/explain/request_charges.h"
#include "experiments/explain/request_runs.h"
#include "simnic/profile/profile_values.h"

namespace verbena::experiments {
namespace {

using simnic::Resource;

double nanoseconds(Picoseconds time) { return static_cast<double>(time.count()) / 1e3; }

// Millions per second of what takes `busy` each.
double rate(Picoseconds busy) { return 1e6 / static_cast<double>(busy.count()); }

using Rows = std::vector<StationCharge>;

// Another value of the constant, near its own; nothing when it has none that says something.
std::optional<double> another_value(const simnic::ConstantValue& constant) {
  if (constant.probability) return std::nullopt;
  if (constant.value == 0) {
    if (constant.whole) return std::nullopt;
    return std::min(10.0, constant.maximum);
  }
  // Some whole numbers have to be powers of two.
  const double factor = constant.whole ? 2 : 1.5;
  double value = constant.value * factor;
  // The lesser of what NIC and host can do counts: more of one alone may change nothing.
  if (value > constant.maximum || constant.capability) value = constant.value / factor;
  if (constant.whole) value = std::floor(value);
  if (value < constant.minimum || value > constant.maximum) return std::nullopt;
  return value;
}

// The request's rows when one constant has another value; none when the others do not allow that.
Rows rows_with(const RequestRuns& runs, const ExplainCommand& command, const std::string& key,
               double value) {
  ExplainCommand changed = command;
  changed.fabric.constants.set(key, fmt::format("{}", value));
  return runs.rows_of(changed);
}

// The request on as few machines as tell the same, so that it is soon run again: in a star all
// pairs of nodes are alike.
ExplainCommand on_few_machines(const RequestRuns& runs, const ExplainCommand& command,
                               const Rows& rows) {
  if (command.fabric.topology != "star" || !command.fabric.platform.empty()) return command;
  if (command.cluster.nodes <= 2 && command.cluster.endpoint.nics == 1) return command;
  ExplainCommand few = command;
  few.cluster.nodes = std::min(few.cluster.nodes, 2U);
  few.cluster.endpoint.nics = 1;
  return runs.rows_of(few) == rows ? few : command;
}

// The same row of another request; of nothing where that has none.
StationCharge same_row(const Rows& rows, const StationCharge& row) {
  const auto found = std::ranges::find_if(rows, [&](const StationCharge& other) {
    return other.stage == row.stage && other.station == row.station;
  });
  return found == rows.end() ? StationCharge{.stage = row.stage, .station = row.station} : *found;
}

// For every row, the constants that change it: each is changed in turn, and the request run again.
std::vector<std::vector<std::string>> causes(const RequestRuns& runs, const ExplainCommand& command,
                                             const Rows& rows) {
  const FabricOptions& fabric = command.fabric;
  const ExplainCommand few = on_few_machines(runs, command, rows);
  std::vector<std::vector<std::string>> found(rows.size());
  for (const auto& constant :
       simnic::constant_values(fabric.nic, fabric.cpu, fabric.switches, fabric.constants)) {
    const std::optional<double> value = another_value(constant);
    if (!value) continue;
    const Rows others = rows_with(runs, few, constant.key, *value);
    if (others.empty()) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (same_row(others, rows[i]) != rows[i]) found[i].push_back(constant.key);
    }
  }
  return found;
}

// How many of a resource a NIC has, among which requests of many queue pairs spread.
double copies(Resource resource, const ExplainCommand& command) {
  if (resource != Resource::kProcessing && resource != Resource::kReceiving) return 1;
  const FabricOptions& fabric = command.fabric;
  return static_cast<double>(
      simnic::load_nic_profile(fabric.nic, fabric.constants).processing_units);
}

std::string place_of(const ResourceLoad& load, const RequestCharges& request) {
  if (load.resource == Resource::kLink) return "network";
  const bool requester = load.number == request.requester_nic;
  if (load.resource == Resource::kCore) return requester ? "requester" : "receiver";
  return requester ? "requester's NIC" : "responder's NIC";
}

std::vector<ExplainedRow> explained_rows(const RequestCharges& request,
                                         std::vector<std::vector<std::string>> keys) {
  std::vector<ExplainedRow> all;
  all.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const StationCharge& charge = request.charges[i];
    all.push_back({.stage = charge.stage,
                   .station = charge.station,
                   .latency_ns = nanoseconds(charge.latency),
                   .service_ns = nanoseconds(charge.service),
                   .limit = charge.service == 0 ? 0 : rate(charge.service),
                   .constants = std::move(keys[i])});
  }
  return all;
}

std::vector<ExplainedLimit> explained_limits(const RequestCharges& request,
                                             const ExplainCommand& command) {
  std::vector<ExplainedLimit> limits;
  for (const ResourceLoad& load : request.loads) {
    ExplainedLimit limit{.place = place_of(load, request),
                         .resource = resource_name(load.resource),
                         .busy_ns = nanoseconds(load.busy),
                         .limit = rate(load.busy) * copies(load.resource, command)};
    // Links of a route that are equally busy are one row.
    const bool known = std::any_of(limits.begin(), limits.end(), [&](const ExplainedLimit& other) {
      return load.resource == Resource::kLink && other.place == limit.place &&
             other.busy_ns == limit.busy_ns;
    });
    if (!known) limits.push_back(std::move(limit));
  }
  std::stable_sort(
      limits.begin(), limits.end(),
      [](const ExplainedLimit& a, const ExplainedLimit& b) { return a.limit < b.limit; });
  return limits;
}

}  // namespace

Explanation explain(const ExplainCommand& command, simnic::Observer* also) {
  RequestRuns runs(command);
  const Rows rows = runs.rows_of(command);
  std::vector<std::vector<std::string>> keys;
  if (!rows.empty()) keys = causes(runs, command, rows);
  const RequestCharges request = runs.run_last(also);
  assert(request.charges == rows);
  return {.total_ns = nanoseconds(request.total),
          .rows = explained_rows(request, std::move(keys)),
          .limits = explained_limits(request, command),
          .request_route = request.request_route,
          .response_route = request.response_route};
}

}  // namespace verbena::experiments
