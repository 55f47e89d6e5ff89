// From the members of a result document.
#include "experiments/points/point_result.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/config/json_input.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

// Nothing where there is no interval, or one without an upper end.
std::optional<Interval95> range_of(const json& owner, const char* name) {
  const auto found = owner.find(name);
  if (found == owner.end() || found->is_null() || found->at(1).is_null()) return std::nullopt;
  return Interval95{.low = found->at(0), .high = found->at(1)};
}

double not_negative(const json& value, const std::string& name) {
  const double number = value;
  if (number >= 0) return number;
  throw std::runtime_error(fmt::format("{} {}; allowed are numbers from 0 on", name, number));
}

double not_negative(const json& members, const char* name) {
  return not_negative(members.at(name), std::string(name));
}

// NaN where it is withheld.
double percentile_of(const json& times, const char* name) {
  return times.at(name).is_null() ? std::numeric_limits<double>::quiet_NaN()
                                  : not_negative(times, name);
}

void read_times(const json& histograms, std::map<std::string, PhaseResult>& results) {
  for (const auto& [name, times] : histograms.items()) {
    if (times.at("count") == 0) continue;
    PhaseResult& result = results[name];
    result.p50_us = percentile_of(times, "p50");
    result.mean_us = not_negative(times, "mean");
    result.count = not_negative(times, "count");
    result.after_latency = times.value("after_latency", false);
    const auto intervals = times.find("intervals_95");
    if (intervals == times.end()) continue;
    result.p50_interval_us = range_of(*intervals, "p50");
    result.mean_interval_us = range_of(*intervals, "mean");
  }
}

void read_phases(const json& measured, PointResult& result) {
  read_times(measured.at("phases"), result.phases);
  if (measured.contains("times")) read_times(measured.at("times"), result.times);
  if (!measured.contains("served")) return;
  for (const auto& [name, served] : measured.at("served").items()) {
    PhaseResult& phase = result.phases[name];
    phase.handler_ns = not_negative(served, "busy_ns");
    phase.payload_bytes =
        not_negative(served, "request_bytes") + not_negative(served, "reply_bytes");
  }
}

void read_kinds(const json& measured, PointResult& result) {
  if (!measured.contains("kinds")) return;
  for (const auto& [name, counts] : measured.at("kinds").items()) {
    KindResult& kind = result.kinds[name];
    kind.throughput_per_s = not_negative(counts, "throughput_per_s");
    const json& mean = counts.at("mean_latency_us");
    if (!mean.is_null()) kind.mean_us = not_negative(mean, std::string("mean_latency_us"));
    kind.mean_interval_us = range_of(counts, "mean_latency_interval_95_us");
  }
}

std::optional<OwnInterval> own_interval(const json& precision, const char* name) {
  const json& mean = precision.at(name);
  if (mean.is_null()) return std::nullopt;
  const double freedom = mean.at("degrees_of_freedom");
  if (!(freedom >= 0)) {
    throw std::runtime_error(
        fmt::format("degrees_of_freedom {}; allowed are numbers from 0 on", freedom));
  }
  if (freedom == 0) return std::nullopt;  // parts that are all alike tell no width
  return OwnInterval{.half_width = not_negative(mean, "half_width_95"),
                     .degrees_of_freedom = freedom};
}

void read_precision(const json& measured, PointResult& result) {
  const auto found = measured.find("precision");
  if (found == measured.end()) return;
  result.of_its_seed = measured.at("name").get<std::string>().starts_with("bench ");
  result.throughput_interval = own_interval(*found, "throughput_per_s");
  result.mean_interval_us = own_interval(*found, "mean_latency_us");
  result.abort_share_interval = own_interval(*found, "abort_share");
  const json& latency = measured.at("latency_us");
  for (const char* name : {"p50", "p90", "p99", "p999"}) {
    if (!latency.contains("intervals_95")) break;
    if (const auto range = range_of(latency.at("intervals_95"), name)) {
      result.percentile_intervals_us[name] = *range;
    }
  }
  if (const auto end = found->find("ended_by"); end != found->end() && end->is_string()) {
    result.ended_by = *end;
  }
  for (const char* name : {"throughput_per_s", "mean_latency_us"}) {
    const json& mean = found->at(name);
    if (!mean.is_null() && !mean.at("steady").get<bool>()) result.steady = false;
  }
}

void read_busy(const json& measured, PointResult& result) {
  const auto use = measured.find("utilization");
  if (use == measured.end() || !use->contains("roles")) return;
  for (const auto& [role, resources] : use->at("roles").items()) {
    std::map<std::string, double>& busy = result.busy_by_role[role];
    busy["cores"] = not_negative(resources.at("cores"), "mean");
    for (const auto& [kind, stations] : resources.at("stations").items()) {
      busy[kind] = not_negative(stations, "mean");
    }
  }
}

// May be among what tells a measurement from others of its series.
double nodes_of(const json& document, const json& measured) {
  const json& values = measured.at("values");
  const json& nodes =
      values.contains("nodes") ? values.at("nodes") : document.at("config").at("nodes");
  return not_negative(nodes, std::string("nodes"));
}

double computing_nodes_of(const json& measured, double nodes) {
  const auto roles = measured.find("nodes_by_role");
  return roles == measured.end() ? nodes : roles->value("compute", 0.0) + roles->value("both", 0.0);
}

PointResult read_result(const json& document, const json& measured) {
  const json& latency = measured.at("latency_us");
  PointResult result;
  result.versions.commit = document.value("commit", result.versions.commit);
  result.versions.libraries = document.value("libraries", result.versions.libraries);
  result.trace_digest = document.at("trace_digest");
  result.command_line = document.at("config").value("command_line", "");
  result.throughput_per_s = not_negative(measured, "throughput_per_s");
  result.wall_seconds = document.value("wall_seconds", 0.0);
  result.measured_seconds = measured.value("seconds", 0.0);
  result.nodes = nodes_of(document, measured);
  result.computing_nodes = computing_nodes_of(measured, result.nodes);
  if (const auto bound = measured.find("bound_by"); bound != measured.end()) {
    result.bound_by = bound->at("resource");
    if (bound->contains("role")) result.bound_by += " of " + bound->at("role").get<std::string>();
  }
  if (const auto ages = measured.find("in_flight_us"); ages != measured.end()) {
    result.in_flight = not_negative(*ages, "count");
  }
  for (const auto& [cause, count] : measured.at("aborted").items()) {
    result.aborted += not_negative(count, cause);
  }
  result.attempts = result.aborted + not_negative(measured, "committed");
  result.p50_us = percentile_of(latency, "p50");
  result.p90_us = percentile_of(latency, "p90");
  result.p99_us = percentile_of(latency, "p99");
  result.p999_us = percentile_of(latency, "p999");
  result.mean_us = not_negative(latency, "mean");
  result.max_us = not_negative(latency, "max");
  result.per_client_per_s = measured.value("throughput_per_client_per_s", 0.0);
  result.per_server_per_s = measured.value("throughput_per_server_per_s", 0.0);
  for (const auto& [key, value] : measured.at("values").items()) {
    result.values[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  result.conflicts_ignored = measured.value("conflicts_ignored", false);
  read_precision(measured, result);
  read_phases(measured, result);
  read_busy(measured, result);
  read_kinds(measured, result);
  return result;
}

}  // namespace

PointResult parse_point_result(const std::string& json_text) {
  try {
    const json document = json::parse(json_text);
    PointResult result = read_result(document, document.at("results").at(0));
    result.document = json_text;
    return result;
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("is no result document: {}", json_error_text(error)));
  }
}

std::vector<PointResult> parse_results(const std::string& json_text) {
  try {
    const json document = json::parse(json_text);
    std::vector<PointResult> results;
    for (const json& measured : document.at("results")) {
      results.push_back(read_result(document, measured));
      json own = measured;
      own.erase("values");
      results.back().measured = own.dump();
    }
    return results;
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("is no result document: {}", json_error_text(error)));
  }
}

}  // namespace verbena::experiments
