// From the members of a result document.
#include "experiments/points/point_result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace verbena::experiments {
namespace {

using nlohmann::json;

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
    result.document = json_text;
    return result;
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("is no result document: {}", error.what()));
  }
}

}  // namespace verbena::experiments
