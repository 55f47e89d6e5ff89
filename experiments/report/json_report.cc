// The document's layout.
#include "experiments/report/json_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/config/config_file.h"
#include "experiments/config/named_files.h"
#include "experiments/report/build_info.h"
#include "experiments/report/result/shown_percentiles.h"
#include "experiments/report/text/anomaly_text.h"
#include "experiments/report/text/precision_text.h"
#include "experiments/report/utilization_document.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

double microseconds(double nanoseconds) { return nanoseconds / 1000.0; }

double microseconds(std::uint64_t nanoseconds) {
  return microseconds(static_cast<double>(nanoseconds));
}

json times_document(const Histogram& times) {
  return {{"count", times.count()},
          {"mean", microseconds(times.mean())},
          {"max", microseconds(times.max())}};
}

// Percentiles of fewer ages than bound them are null.
json ages_document(const Histogram& ages) {
  json document = times_document(ages);
  for (const ShownPercentile& shown : kShownPercentiles) {
    document[shown.name] = is_bounded(ages, shown.fraction)
                               ? json(microseconds(ages.percentile(shown.fraction)))
                               : json(nullptr);
  }
  return document;
}

// Null where nothing bounds the true one.
json end_or_null(std::optional<std::uint64_t> end) {
  return end ? json(microseconds(*end)) : json(nullptr);
}

// Both null where there are too few values.
void add_percentile(json& document, const ShownPercentile& shown,
                    const std::optional<workloads::PercentileEstimate>& estimate) {
  document[shown.name] = estimate ? json(microseconds(estimate->value)) : json(nullptr);
  document["intervals_95"][shown.name] =
      estimate && estimate->low
          ? json::array({end_or_null(estimate->low), end_or_null(estimate->high)})
          : json(nullptr);
}

// Also the percentiles with what was in flight, null where that is longer than anything that was
// seen, and where those without are withheld.
json latency_document(const Measurement& measurement) {
  json document = times_document(measurement.latency);
  for (const ShownPercentile& shown : kShownPercentiles) {
    add_percentile(document, shown, percentile_of(measurement, shown));
    if (measurement.survival.empty()) continue;
    const auto censored = measurement.survival.percentile(shown.fraction);
    const bool shows = censored && percentile_of(measurement, shown);
    document["with_in_flight"][shown.name] = shows ? json(microseconds(*censored)) : json(nullptr);
  }
  return document;
}

// In microseconds.
json interval_or_null(double mean_ns, const std::optional<double>& half_width_ns) {
  if (!half_width_ns) return nullptr;
  return {microseconds(mean_ns - *half_width_ns), microseconds(mean_ns + *half_width_ns)};
}

// Phases follow one another as transactions do, so that they are as much alike.
json phase_document(const Histogram& times, const Measurement& measurement) {
  json document = times_document(times);
  for (const ShownPercentile& shown : kShownPercentiles) {
    add_percentile(document, shown, percentile_of(times, shown, measurement));
  }
  std::optional<double> half_width;
  if (const auto inflation = inflation_of(measurement)) {
    half_width = workloads::mean_half_width(times, *inflation);
  }
  document["intervals_95"]["mean"] = interval_or_null(times.mean(), half_width);
  return document;
}

// Null where nothing of a kind was committed, or too little for an interval.
json kinds_document(const Measurement& measurement) {
  json document = json::object();
  const std::optional<double> inflation = inflation_of(measurement);
  for (const auto& [kind, committed] : measurement.committed_by_kind) {
    const auto count = static_cast<double>(committed);
    const auto sum = static_cast<double>(measurement.latency_by_kind.at(kind).count());
    const auto squares = measurement.squares_by_kind.find(kind);
    std::optional<double> half_width;
    if (inflation && squares != measurement.squares_by_kind.end()) {
      half_width = workloads::mean_half_width(count, sum, squares->second, *inflation);
    }
    const double rate = measurement.seconds > 0 ? count / measurement.seconds : 0;
    document[kind] = {
        {"committed", committed},
        {"throughput_per_s", rate},
        {"mean_latency_us", committed == 0 ? json(nullptr) : json(microseconds(sum / count))},
        {"mean_latency_interval_95_us", interval_or_null(sum / std::max(1.0, count), half_width)}};
  }
  return document;
}

json served_document(const Measurement& measurement) {
  json document = json::object();
  for (const ServedPhase& served : measurement.served) {
    document[served.phase] = {{"calls", served.calls},
                              {"busy_ns", served.busy_ns},
                              {"request_bytes", served.request_bytes},
                              {"reply_bytes", served.reply_bytes}};
  }
  return document;
}

json mean_document(const std::optional<workloads::JudgedMean>& mean, double unit) {
  if (!mean) return nullptr;
  return {{"mean", mean->estimate.mean / unit},
          {"half_width_95", mean->estimate.half_width / unit},
          {"degrees_of_freedom", mean->estimate.degrees_of_freedom},
          {"steady", mean->course == workloads::Course::kSteady},
          {"beginning_us", microseconds(static_cast<double>(mean->remedy().count()))}};
}

// Null where throughput does not come in bursts.
json bursts_document(const workloads::Bursts& bursts) {
  if (bursts.count == 0) return nullptr;
  return {{"count", bursts.count},
          {"time_us", microseconds(static_cast<double>(bursts.time.count()))},
          {"lasting_us", microseconds(static_cast<double>(bursts.lasting.count()))},
          {"height", bursts.height}};
}

json precision_document(const workloads::Precision& precision) {
  return {{"throughput_per_s", mean_document(precision.throughput_per_s, 1)},
          {"mean_latency_us", mean_document(precision.mean_latency_ns, 1000)},
          {"abort_share", mean_document(precision.abort_share, 1)},
          {"stalled_us", microseconds(static_cast<double>(precision.stalled.count()))},
          {"bursts", bursts_document(precision.bursts)}};
}

json series_document(const workloads::IntervalSeries& all) {
  const workloads::IntervalSeries series = all.coarser(kShownIntervals);
  json document = {{"interval_us", microseconds(static_cast<double>(series.width().count()))},
                   {"committed", json::array()},
                   {"aborted", json::array()},
                   {"mean_latency_us", json::array()}};
  for (const workloads::IntervalCounts& counts : series.counts()) {
    document["committed"].push_back(counts.committed);
    document["aborted"].push_back(counts.aborted);
    document["mean_latency_us"].push_back(
        counts.committed == 0 ? json(nullptr)
                              : json(microseconds(static_cast<double>(counts.latency_ns) /
                                                  static_cast<double>(counts.committed))));
  }
  return document;
}

json critical_path_document(const CriticalPath& path) {
  json parts = json::array();
  for (const CriticalPath::Row& row : path.rows) {
    parts.push_back({{"place", place_name(row.part.place)},
                     {"part", part_name(row.part)},
                     {"waiting", row.part.waiting()},
                     {"mean_us", microseconds(row.mean_ns)},
                     {"slowest_mean_us", microseconds(row.slowest_mean_ns)}});
  }
  return {{"transactions", path.transactions},
          {"mean_us", microseconds(path.mean_ns)},
          {"requests", path.requests},
          {"slowest", path.slowest},
          {"slowest_mean_us", microseconds(path.slowest_mean_ns)},
          {"slowest_requests", path.slowest_requests},
          {"parts", parts}};
}

json result_document(const Measurement& measurement, bool interrupted) {
  json phases = json::object();
  for (const auto& [name, histogram] : measurement.phases) {
    phases[name] = phase_document(histogram, measurement);
    const auto& after = measurement.phases_after_latency;
    phases[name]["after_latency"] = std::ranges::find(after, name) != after.end();
  }
  json counters = measurement.counters;
  for (const auto& [name, count] : measurement.nic_counters) counters["nic." + name] = count;
  for (const auto& [kind, count] : measurement.committed_by_kind) {
    counters["committed." + kind] = count;
  }
  counters["total"] = measurement.total;
  json document = {{"name", measurement.name},
                   {"values", json::object()},
                   {"seconds", measurement.seconds},
                   {"throughput_per_s", measurement.throughput_per_s},
                   {"committed", measurement.committed},
                   {"aborted", measurement.aborted},
                   {"conflicts_ignored", measurement.ignores_conflicts},
                   {"latency_us", latency_document(measurement)},
                   {"phases", phases},
                   {"counters", counters}};
  if (!measurement.series.counts().empty()) {
    document["precision"] = precision_document(measurement.precision);
    document["precision"]["goal"] = measurement.goal ? json(*measurement.goal) : json(nullptr);
    document["precision"]["ended_by"] =
        measurement.goal ? json(end_name(measurement, interrupted)) : json(nullptr);
    const bool out_of_memory = measurement.ended_by == workloads::WindowEnd::kMemory;
    document["precision"]["max_memory_bytes"] =
        out_of_memory ? json(measurement.most_memory_bytes) : json(nullptr);
    document["series"] = series_document(measurement.series);
  }
  if (!measurement.survival.empty() || measurement.in_flight.count() > 0) {
    document["in_flight_us"] = ages_document(measurement.in_flight);
    document["in_flight_us"]["not_begun"] = measurement.backlog;
    document["in_flight_us"]["until"] =
        microseconds(static_cast<double>(measurement.in_flight_until.count()));
  }
  for (const workloads::ProcessPart& part : measurement.processes) {
    document["processes"].push_back({{"node", std::uint16_t{part.node}},
                                     {"throughput_per_s", part.throughput_per_s},
                                     {"committed", part.committed},
                                     {"total", part.committed_total}});
  }
  if (!measurement.died.empty()) {
    for (const NodeId node : measurement.died) document["died"].push_back(std::uint16_t{node});
    document["given_up"] = measurement.given_up;
    if (measurement.given_up > 0) document["given_up_for"] = measurement.given_up_for;
  }
  if (measurement.critical_path) {
    document["critical_path"] = critical_path_document(*measurement.critical_path);
  }
  add_utilization(document, measurement);
  if (!measurement.committed_by_kind.empty()) document["kinds"] = kinds_document(measurement);
  if (!measurement.served.empty()) document["served"] = served_document(measurement);
  for (const auto& [name, histogram] : measurement.times) {
    document["times"][name] = phase_document(histogram, measurement);
  }
  if (!measurement.nodes_by_role.empty()) {
    document["nodes_by_role"] = measurement.nodes_by_role;
    document["throughput_per_computing_node_per_s"] = measurement.per_computing_node_per_s;
  }
  if (measurement.per_client_per_s != 0) {
    document["throughput_per_client_per_s"] = measurement.per_client_per_s;
    document["throughput_per_server_per_s"] = measurement.per_server_per_s;
    document["payload_gbps"] = measurement.carried_gbps;
  }
  return document;
}

}  // namespace

json config_document(const ConfigurationRecord& record) {
  json document = {{"command", command_name(record.command)},
                   {"command_line", record.command_line()},
                   {"overrides", record.overrides},
                   {"files", record.files}};
  if (!record.operation.empty()) document["operation"] = record.operation;
  for (const auto& [name, value] : record.values) {
    std::visit([&](const auto& plain) { document[name] = plain; }, value);
  }
  return document;
}

std::string json_document(const Report& report) {
  json document = {{"schema", {{"name", kSchemaName}, {"version", kSchemaVersion}}},
                   {"config", config_document(report.record)},
                   {"identity", identity_of(report.record)},
                   {"seed", report.seed},
                   {"commit", build_commit()},
                   {"libraries", library_versions()},
                   {"fabric", report.record.simulated ? "sim" : "verbs"},
                   {"warm_up_seconds", to_seconds(report.warm_up)},
                   {"sim_seconds", report.sim_seconds},
                   {"wall_seconds", report.wall_seconds},
                   {"setup_wall_seconds", report.setup_wall_seconds},
                   {"peak_rss_bytes", report.peak_rss_bytes},
                   {"trace_digest", fmt::format("{:016x}", report.trace_digest)},
                   {"partial", report.partial},
                   {"results", json::array()},
                   {"verification", nullptr}};
  for (const Measurement& measurement : report.measurements) {
    document["results"].push_back(result_document(measurement, report.partial));
  }
  for (const rdma::ThreadBound& bound : report.thread_bounds) {
    document["speed_up"].push_back({{"threads", bound.threads}, {"at_most", bound.speed_up}});
  }
  if (report.of_node) document["of_node"] = std::uint16_t{*report.of_node};
  if (report.verdict) {
    document["verification"] = {{"passed", report.verdict->errors.empty()},
                                {"summary", report.verdict->summary},
                                {"errors", report.verdict->errors},
                                {"anomaly", anomaly_document(*report.verdict)}};
    if (!report.passed()) document["verification"]["replay"] = report.record.command_line();
  }
  // Bytes of file names and the like that are not UTF-8 must not lose a finished measurement.
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace verbena::experiments
