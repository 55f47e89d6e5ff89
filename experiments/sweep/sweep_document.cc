// Documents of single measurements, joined.
#include "experiments/sweep/sweep_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/config/config_file.h"
#include "experiments/points/runs.h"
#include "experiments/report/build_info.h"
#include "experiments/report/json_report.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

// Numbers as numbers, all else as texts.
json values_document(const Values& values) {
  json document = json::object();
  for (const auto& [key, text] : values) {
    json value = json::parse(text, nullptr, false);
    document[key] = value.is_number() ? std::move(value) : json(text);
  }
  return document;
}

json mean_document(const SweepPlace& place, const char* quantity, double unit) {
  const auto mean = sampled(place.runs, quantity);
  if (!mean) return nullptr;
  return {{"mean", mean->mean * unit}, {"half_width_95", mean->half_width() * unit}};
}

json place_document(const SweepPlace& place) {
  return {{"values", values_document(place.values)},
          {"runs", place.runs.size()},
          {"throughput_per_s", mean_document(place, "throughput", 1e6)},
          {"mean_latency_us", mean_document(place, "mean", 1)},
          {"p50_us", mean_document(place, "p50", 1)},
          {"p99_us", mean_document(place, "p99", 1)},
          {"abort_share", mean_document(place, "abort_rate", 1)}};
}

// Contents of the documents of all measurements, joined.
struct Joined {
  json results = json::array();
  json verification = nullptr;
  double sim_seconds = 0;
  double setup_wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
};

Joined join(const MeasuredSweep& measured) {
  Joined all;
  std::size_t verified = 0;
  std::size_t measurements = 0;
  for (std::size_t i = 0; i < measured.points.results.size(); ++i) {
    const auto& result = measured.points.results[i];
    const std::string line = measured.sweep->points[i].record().command_line();
    if (!measured.points.missing.contains(line)) ++measurements;
    if (!result) continue;
    json document = json::parse(result->document);
    json& own = document.at("results").at(0);
    own["values"] = values_document(measured.sweep->points[i].record().place);
    all.results.push_back(std::move(own));
    all.sim_seconds += document.value("sim_seconds", 0.0);
    all.setup_wall_seconds += document.value("setup_wall_seconds", 0.0);
    all.peak_rss_bytes =
        std::max(all.peak_rss_bytes, document.value("peak_rss_bytes", std::uint64_t{0}));
    if (!document.value("verification", json()).is_null()) ++verified;
  }
  if (verified != 0) {
    // A measurement whose verification failed is one that failed.
    all.verification = {
        {"passed", verified == measurements},
        {"summary", fmt::format("{} of {} measurements passed", verified, measurements)},
        {"errors", json::array()}};
  }
  return all;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// Empty where it is withheld.
std::string number_cell(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.10g}", value);
}

std::string width_cell(const std::optional<OwnInterval>& interval) {
  return interval ? number_cell(interval->half_width) : "";
}

}  // namespace

std::string sweep_document(const MeasuredSweep& measured) {
  const Sweep& sweep = *measured.sweep;
  Joined all = join(measured);
  json document = {{"schema", {{"name", kSchemaName}, {"version", kSchemaVersion}}},
                   {"config", config_document(sweep.record)},
                   {"seed", sweep.seed},
                   {"commit", build_commit()},
                   {"fabric", sweep.record.simulated ? "sim" : "verbs"},
                   {"sim_seconds", all.sim_seconds},
                   {"wall_seconds", measured.wall_seconds},
                   {"setup_wall_seconds", all.setup_wall_seconds},
                   {"peak_rss_bytes", all.peak_rss_bytes},
                   {"trace_digest", fmt::format("{:016x}", measured.trace_digest())},
                   {"results", std::move(all.results)},
                   {"verification", std::move(all.verification)},
                   {"means", json::array()},
                   {"failed", json::array()}};
  for (const SweepPlace& place : measured.places()) {
    if (place.measurements.size() > 1) document["means"].push_back(place_document(place));
  }
  if (!measured.points.shard.is_whole()) {
    document["shard"] = measured.points.shard.text();
    document["missing"] = measured.points.missing;
  }
  for (const FailedPoint& failure : measured.points.failures) {
    document["failed"].push_back(failure.text);
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string sweep_csv(const MeasuredSweep& measured) {
  std::string text;
  for (const auto& value : measured.sweep->points.front().record().place) {
    text += csv_cell(value.first) + ",";
  }
  text +=
      "throughput_per_s,throughput_half_width_95,mean_us,mean_half_width_95_us,p50_us,p90_us,"
      "p99_us,p999_us,max_us,attempts,aborted,steady,all_nodes,computing_nodes,in_flight,bound_by,"
      "trace_digest,command_line\n";
  for (std::size_t i = 0; i < measured.points.results.size(); ++i) {
    const auto& result = measured.points.results[i];
    if (!result) continue;
    const ConfigurationRecord& record = measured.sweep->points[i].record();
    for (const auto& value : record.place) text += csv_cell(value.second) + ",";
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        number_cell(result->throughput_per_s), width_cell(result->throughput_interval),
        number_cell(result->mean_us), width_cell(result->mean_interval_us),
        number_cell(result->p50_us), number_cell(result->p90_us), number_cell(result->p99_us),
        number_cell(result->p999_us), number_cell(result->max_us), number_cell(result->attempts),
        number_cell(result->aborted), result->steady, number_cell(result->nodes),
        number_cell(result->computing_nodes),
        result->in_flight ? number_cell(*result->in_flight) : "", csv_cell(result->bound_by),
        result->trace_digest, csv_cell(record.command_line()));
  }
  return text;
}

}  // namespace verbena::experiments
