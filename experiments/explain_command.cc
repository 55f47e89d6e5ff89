// `verbena explain OPERATION`: where the time of one request on an idle cluster goes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

#include "experiments/commands.h"
#include "experiments/exit_code.h"
#include "experiments/lone_request.h"
#include "experiments/resolve.h"
#include "experiments/trace_recorder.h"
#include "experiments/units.h"
#include "rdma/seam/errors.h"
#include "simnic/profile_values.h"
#include "simnic/topology_spec.h"

namespace verbena::experiments {
namespace {

using simnic::Picoseconds;
using simnic::Resource;
using simnic::Stage;
using simnic::Station;

constexpr double kPerNanosecond = 1e3;

double nanoseconds(Picoseconds time) { return static_cast<double>(time) / kPerNanosecond; }

// Millions per second of what takes `busy` each.
double rate(Picoseconds busy) { return 1e6 / static_cast<double>(busy); }

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

std::map<RowKey, Charge> rows_of(const LoneRequest& request) {
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
  if (value > constant.maximum) value = constant.value / factor;
  if (constant.whole) value = std::floor(value);
  if (value < constant.minimum || value > constant.maximum) return std::nullopt;
  return value;
}

// The request's rows when one constant has another value; none when the others do not allow that.
std::map<RowKey, Charge> rows_with(const Options& options, const std::string& key, double value) {
  Options changed = options;
  changed.overrides[key] = fmt::format("{}", value);
  try {
    return rows_of(run_lone_request(changed));
  } catch (const ConfigurationError&) {
    return {};
  }
}

// For every row, the constants that change it: each is changed in turn, and the request run again.
std::map<RowKey, std::vector<std::string>> causes(const Options& options,
                                                  const std::map<RowKey, Charge>& rows) {
  simnic::Options overrides;
  for (const auto& [key, value] : options.overrides) overrides.set(key, value);
  std::map<RowKey, std::vector<std::string>> found;
  for (const auto& constant : simnic::constant_values(options.nic, options.cpu, "", overrides)) {
    const std::optional<double> value = another_value(constant);
    if (!value) continue;
    std::map<RowKey, Charge> others = rows_with(options, constant.key, *value);
    if (others.empty()) continue;
    for (const auto& [row, charge] : rows) {
      if (others[row] != charge) found[row].push_back(constant.key);
    }
  }
  return found;
}

using Text = fmt::memory_buffer;

template <typename... Values>
void add(Text& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

std::string state_text(const std::string& state) {
  if (state == "warm") return "all state on the NICs";
  if (state == "qp-miss") return "a queue pair that is not in the NICs' caches";
  return "nothing in the NICs' caches";
}

void add_configuration(Text& text, const Options& options) {
  const std::string network =
      options.platform.empty()
          ? simnic::parse_topology(options.topology, options.nodes, options.nics_per_node).text()
          : printable(options.platform);
  add(text, "request         {} of {} B{}, {}; {}\n", options.operation, options.payload,
      options.inlined ? ", inline" : "",
      options.doorbell == "batched" ? "announced by a doorbell" : "written by BlueFlame if it fits",
      state_text(options.state));
  add(text, "cluster         node 0 to node {}; {}, {}, {}\n", options.nodes - 1, options.nic,
      options.cpu, network);
  for (const auto& [key, value] : options.overrides) {
    add(text, "                {} = {}\n", key, printable(value));
  }
}

void add_rows(Text& text, const LoneRequest& request, const Options& options) {
  const std::map<RowKey, Charge> rows = rows_of(request);
  const auto keys = causes(options, rows);
  add(text, "\n{:<9} {:<24} {:>11} {:>11} {:>7} {:>9}  {}\n", "stage", "station", "latency ns",
      "service ns", "share", "limit M/s", "constants");
  const auto add_row = [&](const RowKey& row, const char* name, const Charge& charge) {
    const auto cause = keys.find(row);
    add(text, "{:<9} {:<24} {:>11.3f} {:>11} {:>6.1f}% {:>9}  {}\n", stage_name(row.stage), name,
        nanoseconds(charge.latency),
        charge.service == 0 ? "" : fmt::format("{:.3f}", nanoseconds(charge.service)),
        100.0 * static_cast<double>(charge.latency) / static_cast<double>(request.total),
        charge.service == 0 ? "" : fmt::format("{:.1f}", rate(charge.service)),
        cause == keys.end() ? "" : fmt::format("{}", fmt::join(cause->second, " ")));
  };
  for (const Stage stage :
       {Stage::kPost, Stage::kIssue, Stage::kExecute, Stage::kRespond, Stage::kPoll}) {
    for (const StationCharge& charge : request.charges) {
      if (charge.stage != stage) continue;
      add_row({stage, charge.station}, station_name(charge.station),
              {charge.latency, charge.service});
    }
    const auto wait = request.waits.find(stage);
    if (wait != request.waits.end()) {
      add_row({stage, std::nullopt}, "wait", {wait->second, 0});
    }
  }
  add(text, "{:<9} {:<24} {:>11.3f} {:>11} {:>6.1f}%\n", "", "total", nanoseconds(request.total),
      "", 100.0);
}

// How many of a resource a NIC has, among which requests of many queue pairs spread.
double copies(Resource resource, const Options& options) {
  if (resource != Resource::kProcessing && resource != Resource::kReceiving) return 1;
  simnic::Options overrides;
  for (const auto& [key, value] : options.overrides) overrides.set(key, value);
  return static_cast<double>(simnic::load_nic_profile(options.nic, overrides).processing_units);
}

std::string place_of(const ResourceLoad& load, const LoneRequest& request) {
  if (load.resource == Resource::kLink) return "network";
  const bool requester = load.number == request.requester_nic;
  if (load.resource == Resource::kCore) return requester ? "requester" : "receiver";
  return requester ? "requester's NIC" : "responder's NIC";
}

void add_limits(Text& text, const LoneRequest& request, const Options& options) {
  struct Limit {
    std::string place;
    const char* name;
    Picoseconds busy;
    double rate;
  };
  std::vector<Limit> limits;
  for (const ResourceLoad& load : request.loads) {
    const Limit limit{place_of(load, request), resource_name(load.resource), load.busy,
                      rate(load.busy) * copies(load.resource, options)};
    // Links of a route that are equally busy are one row.
    const bool known = std::any_of(limits.begin(), limits.end(), [&](const Limit& other) {
      return load.resource == Resource::kLink && other.place == limit.place &&
             other.busy == limit.busy;
    });
    if (!known) limits.push_back(limit);
  }
  std::stable_sort(limits.begin(), limits.end(),
                   [](const Limit& a, const Limit& b) { return a.rate < b.rate; });
  add(text, "\n{:<16} {:<17} {:>11} {:>10}\n", "place", "resource", "busy ns", "limit M/s");
  for (const Limit& limit : limits) {
    add(text, "{:<16} {:<17} {:>11.3f} {:>10.1f}\n", limit.place, limit.name,
        nanoseconds(limit.busy), limit.rate);
  }
}

}  // namespace

int explain_command(const Options& options) {
  const std::unique_ptr<TraceRecorder> trace = make_trace(options);
  const LoneRequest request = run_lone_request(options, trace.get());
  Text text;
  add_configuration(text, options);
  add_rows(text, request, options);
  add_limits(text, request, options);
  if (!request.request_route.empty()) {
    add(text, "\nroute           {}\n", fmt::join(request.request_route, " "));
  }
  if (!request.response_route.empty()) {
    add(text, "and back        {}\n", fmt::join(request.response_route, " "));
  }
  add(text, "again           {}\n", replay_command(options));
  if (trace != nullptr) trace->commit();
  std::fputs(fmt::to_string(text).c_str(), stdout);
  return kSuccess;
}

}  // namespace verbena::experiments
