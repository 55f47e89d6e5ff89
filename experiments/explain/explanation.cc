// Rows from what one request was charged, and from what other constants would have charged.
#include "experiments/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/explain/request_charges.h"
#include "rdma/base/errors.h"
#include "simnic/profile_values.h"

namespace verbena::experiments {
namespace {

using simnic::Resource;
using simnic::Stage;
using simnic::Station;

double nanoseconds(Picoseconds time) { return static_cast<double>(time.count()) / 1e3; }

// Millions per second of what takes `busy` each.
double rate(Picoseconds busy) { return 1e6 / static_cast<double>(busy.count()); }

// A row of the table: a station in a stage, or a stage's waits when there is no station.
struct RowKey {
  Stage stage;
  std::optional<Station> station;
  auto operator<=>(const RowKey&) const = default;
};

struct Charge {
  Picoseconds latency = 0;
  Picoseconds service = 0;
  bool operator==(const Charge&) const = default;
};

std::map<RowKey, Charge> rows_of(const RequestCharges& request) {
  std::map<RowKey, Charge> rows;
  for (const StationCharge& charge : request.charges) {
    rows[{charge.stage, charge.station}] = {charge.latency, charge.service};
  }
  for (const auto& [stage, wait] : request.waits) rows[{stage, std::nullopt}] = {wait, 0};
  return rows;
}

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
  // Of what NIC and host can do the lesser counts: more of one alone may change nothing.
  if (value > constant.maximum || constant.capability) value = constant.value / factor;
  if (constant.whole) value = std::floor(value);
  if (value < constant.minimum || value > constant.maximum) return std::nullopt;
  return value;
}

// The request's rows when one constant has another value; none when the others do not allow that.
std::map<RowKey, Charge> rows_with(const ExplainCommand& command, const std::string& key,
                                   double value) {
  ExplainCommand changed = command;
  changed.fabric.constants.set(key, fmt::format("{}", value));
  try {
    return rows_of(charge_request(changed));
  } catch (const ConfigurationError&) {
    return {};
  }
}

// The request on as few machines as tell the same, so that it is soon run again: in a star all
// pairs of nodes are alike.
ExplainCommand on_few_machines(const ExplainCommand& command,
                               const std::map<RowKey, Charge>& rows) {
  if (command.fabric.topology != "star" || !command.fabric.platform.empty()) return command;
  if (command.cluster.nodes <= 2 && command.cluster.endpoint.nics == 1) return command;
  ExplainCommand few = command;
  few.cluster.nodes = std::min(few.cluster.nodes, 2U);
  few.cluster.endpoint.nics = 1;
  return rows_of(charge_request(few)) == rows ? few : command;
}

// For every row, the constants that change it: each is changed in turn, and the request run again.
std::map<RowKey, std::vector<std::string>> causes(const ExplainCommand& command,
                                                  const std::map<RowKey, Charge>& rows) {
  const FabricOptions& fabric = command.fabric;
  const ExplainCommand few = on_few_machines(command, rows);
  std::map<RowKey, std::vector<std::string>> found;
  for (const auto& constant :
       simnic::constant_values(fabric.nic, fabric.cpu, fabric.switches, fabric.constants)) {
    const std::optional<double> value = another_value(constant);
    if (!value) continue;
    std::map<RowKey, Charge> others = rows_with(few, constant.key, *value);
    if (others.empty()) continue;
    for (const auto& [row, charge] : rows) {
      if (others[row] != charge) found[row].push_back(constant.key);
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
                                         const ExplainCommand& command) {
  const std::map<RowKey, Charge> rows = rows_of(request);
  const auto keys = causes(command, rows);
  std::vector<ExplainedRow> all;
  const auto add_row = [&](const RowKey& key, const char* name) {
    const auto cause = keys.find(key);
    const Charge& charge = rows.at(key);
    all.push_back({.stage = stage_name(key.stage),
                   .station = name,
                   .latency_ns = nanoseconds(charge.latency),
                   .service_ns = nanoseconds(charge.service),
                   .limit = charge.service == 0 ? 0 : rate(charge.service),
                   .constants = cause == keys.end() ? std::vector<std::string>() : cause->second});
  };
  for (const Stage stage :
       {Stage::kPost, Stage::kIssue, Stage::kExecute, Stage::kRespond, Stage::kPoll}) {
    for (const StationCharge& charge : request.charges) {
      if (charge.stage == stage) add_row({stage, charge.station}, station_name(charge.station));
    }
    if (request.waits.contains(stage)) add_row({stage, std::nullopt}, "wait");
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
  const RequestCharges request = charge_request(command, also);
  return {.total_ns = nanoseconds(request.total),
          .rows = explained_rows(request, command),
          .limits = explained_limits(request, command),
          .request_route = request.request_route,
          .response_route = request.response_route};
}

}  // namespace verbena::experiments
