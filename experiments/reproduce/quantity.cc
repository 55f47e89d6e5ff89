// Quantities by name, from the members of a result document.
#include "experiments/reproduce/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/config/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/nearest_name.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

constexpr double kMillion = 1e6;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct Quantity {
  std::string name;
  const char* unit;
  std::function<double(const PointResult& result)> value;
};

std::vector<Quantity> make_quantities() {
  std::vector<Quantity> all = {
      {"throughput", "M/s", [](const PointResult& r) { return r.throughput_per_s / kMillion; }},
      {"throughput_per_node", "M/s",
       [](const PointResult& r) { return r.throughput_per_s / r.nodes / kMillion; }},
      {"p50", "us", [](const PointResult& r) { return r.p50_us; }},
      {"p90", "us", [](const PointResult& r) { return r.p90_us; }},
      {"p99", "us", [](const PointResult& r) { return r.p99_us; }},
      {"p999", "us", [](const PointResult& r) { return r.p999_us; }},
      {"mean", "us", [](const PointResult& r) { return r.mean_us; }},
      {"abort_rate", "", [](const PointResult& r) { return r.aborted / r.attempts; }},
  };
  for (const std::string& phase : txn::phases_of_systems()) {
    const auto add = [&](const char* name, const char* unit, double PhaseResult::*member) {
      all.push_back({phase + name, unit, [phase, member](const PointResult& r) {
                       const auto found = r.phases.find(phase);
                       return found == r.phases.end() ? kNothing : found->second.*member;
                     }});
    };
    add("_p50", "us", &PhaseResult::p50_us);
    add("_mean", "us", &PhaseResult::mean_us);
    add("_handler", "ns", &PhaseResult::handler_ns);
    add("_payload", "B", &PhaseResult::payload_bytes);
  }
  return all;
}

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = make_quantities();
  return all;
}

const Quantity& find_quantity(const std::string& name) {
  const auto found = std::find_if(quantities().begin(), quantities().end(),
                                  [&](const Quantity& q) { return name == q.name; });
  if (found != quantities().end()) return *found;
  throw ConfigurationError(fmt::format("unknown quantity '{}'{}", printable(name),
                                       did_you_mean(name, quantity_names())));
}

void read_phases(const json& measured, PointResult& result) {
  for (const auto& [name, times] : measured.at("phases").items()) {
    if (times.at("count") == 0) continue;
    PhaseResult& phase = result.phases[name];
    phase.p50_us = times.at("p50");
    phase.mean_us = times.at("mean");
  }
  if (!measured.contains("served")) return;
  for (const auto& [name, served] : measured.at("served").items()) {
    PhaseResult& phase = result.phases[name];
    phase.handler_ns = served.at("busy_ns");
    phase.payload_bytes =
        served.at("request_bytes").get<double>() + served.at("reply_bytes").get<double>();
  }
}

}  // namespace

PointResult parse_point_result(const std::string& json_text) {
  try {
    const json document = json::parse(json_text);
    const json& measured = document.at("results").at(0);
    const json& latency = measured.at("latency_us");
    PointResult result;
    result.trace_digest = document.at("trace_digest");
    result.throughput_per_s = measured.at("throughput_per_s");
    result.wall_seconds = document.value("wall_seconds", 0.0);
    result.nodes = document.at("config").at("nodes");
    for (const auto& [cause, count] : measured.at("aborted").items()) {
      result.aborted += count.get<double>();
    }
    result.attempts = result.aborted + measured.at("committed").get<double>();
    result.p50_us = latency.at("p50");
    result.p90_us = latency.at("p90");
    result.p99_us = latency.at("p99");
    result.p999_us = latency.at("p999");
    result.mean_us = latency.at("mean");
    read_phases(measured, result);
    return result;
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("is no result document: {}", error.what()));
  }
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  names.reserve(quantities().size());
  for (const Quantity& quantity : quantities()) names.push_back(quantity.name);
  return names;
}

std::string quantity_unit(const std::string& quantity) { return find_quantity(quantity).unit; }

void check_quantity(const std::string& quantity) { find_quantity(quantity); }

double quantity_of(const PointResult& result, const std::string& quantity) {
  return find_quantity(quantity).value(result);
}

Curve series_places(const Figure& figure, const std::string& series) {
  std::vector<std::string> names;
  for (const FigureSeries& candidate : figure.series) {
    if (candidate.name == series) {
      Curve curve;
      for (const FigurePoint& point : candidate.points) curve.push_back({point.at, point.x, 0});
      return curve;
    }
    names.push_back(candidate.name);
  }
  throw ConfigurationError(
      fmt::format("unknown series '{}'{}", printable(series), did_you_mean(series, names)));
}

}  // namespace verbena::experiments
