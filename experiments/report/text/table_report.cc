// Layout of the text.
#include "experiments/report/text/table_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "experiments/config/keys/units.h"
#include "experiments/report/text/anomaly_text.h"
#include "experiments/report/text/bound.h"
#include "experiments/report/text/busy_text.h"
#include "experiments/report/text/critical_path_text.h"
#include "experiments/report/text/death_text.h"
#include "experiments/report/text/latency_text.h"
#include "experiments/report/text/precision_text.h"

namespace verbena::experiments {
namespace {

using Text = fmt::memory_buffer;

constexpr std::size_t kLabelWidth = 16;

std::string seconds_text(double seconds) {
  return time_text(Nanoseconds(std::llround(seconds * 1e9)));
}

// One line: a label, then the value.
template <typename... Values>
void line(Text& text, std::string_view label, fmt::format_string<Values...> format,
          Values&&... values) {
  fmt::format_to(std::back_inserter(text), "{:<{}}", label, kLabelWidth);
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  text.push_back('\n');
}

void add_latencies(Text& text, const Measurement& measurement) {
  if (measurement.latency.count() == 0) return;
  line(text, "latency [us]", "{}", latency_heads());
  for (const auto& [label, cells] : latency_rows(measurement)) line(text, label, "{}", cells);
  for (const auto& [name, histogram] : measurement.phases) {
    if (histogram.count() != 0)
      line(text, "  " + name, "{}", latency_cells(histogram, measurement));
  }
  for (const auto& [name, histogram] : measurement.times) {
    if (histogram.count() != 0)
      line(text, "  " + name, "{}", latency_cells(histogram, measurement));
  }
}

// Each phase's share of the time of committed attempts.
void add_shares(Text& text, const Measurement& measurement) {
  double all = 0;
  for (const auto& phase : measurement.phases) {
    all += phase.second.mean() * static_cast<double>(phase.second.count());
  }
  std::string cells;
  for (const auto& [name, histogram] : measurement.phases) {
    if (histogram.count() == 0) continue;
    const double sum = histogram.mean() * static_cast<double>(histogram.count());
    cells += fmt::format("{}{} {:.1f} %", cells.empty() ? "" : ", ", name, 100 * sum / all);
  }
  if (all != 0) line(text, "time in phases", "{}", cells);
}

void add_critical_path(Text& text, const Measurement& measurement) {
  if (!measurement.critical_path) return;
  for (const auto& [label, cells] : critical_path_lines(*measurement.critical_path)) {
    line(text, label, "{}", cells);
  }
}

void add_deaths(Text& text, const Measurement& measurement) {
  if (measurement.died.empty()) return;
  const std::string given_up =
      measurement.given_up == 0
          ? ""
          : fmt::format("; {} transaction{} given up, which needed what was left, such as {}",
                        measurement.given_up, measurement.given_up == 1 ? "" : "s",
                        measurement.given_up_for);
  line(text, "died", "{}{}", nodes_text(measurement.died), given_up);
}

void add_kinds(Text& text, const Measurement& measurement) {
  std::string cells;
  for (const auto& [kind, count] : measurement.committed_by_kind) {
    cells += fmt::format("{}{} {}", cells.empty() ? "" : ", ", kind, count);
  }
  if (!cells.empty()) line(text, "committed", "{}", cells);
}

// Tells what handlers of RPCs cost and carry.
void add_served(Text& text, const Measurement& measurement) {
  if (measurement.served.empty()) return;
  line(text, "handlers", "{:>12} {:>12} {:>12} {:>12}", "calls/txn", "busy [ns]", "request [B]",
       "reply [B]");
  for (const ServedPhase& served : measurement.served) {
    line(text, "  " + served.phase, "{:>12.3f} {:>12.1f} {:>12.1f} {:>12.1f}",
         static_cast<double>(served.calls) /
             static_cast<double>(std::max<std::uint64_t>(1, measurement.committed)),
         served.busy_ns, served.request_bytes, served.reply_bytes);
  }
}

void add_aborts(Text& text, const Measurement& measurement) {
  std::uint64_t all = 0;
  std::string causes;
  for (const auto& [cause, count] : measurement.aborted) {
    all += count;
    if (count != 0) causes += fmt::format(", {} {}", cause, count);
  }
  const auto attempts = static_cast<double>(measurement.committed + all);
  line(text, "aborts", "{} ({:.2f} % of attempts){}", all,
       attempts == 0 ? 0.0 : 100.0 * static_cast<double>(all) / attempts, causes);
}

// Counters per operation, three a line.
void add_counters(Text& text, std::string label,
                  const std::map<std::string, std::uint64_t>& counters, std::uint64_t total) {
  constexpr int kPerLine = 3;
  if (total == 0) return;
  std::string cells;
  int count = 0;
  for (const auto& [name, value] : counters) {
    if (value == 0) continue;
    cells += fmt::format("{:<24}{:>10.3f}   ", name,
                         static_cast<double>(value) / static_cast<double>(total));
    if (++count % kPerLine == 0) {
      line(text, label, "{}", cells);
      label.clear();
      cells.clear();
    }
  }
  if (!cells.empty()) line(text, label, "{}", cells);
}

void add_precision(Text& text, const Measurement& measurement, const Report& report,
                   std::string_view unit) {
  if (measurement.series.counts().empty()) {
    if (!measurement.processes.empty()) {
      line(text, "precision", "no intervals, since processes measured for different times");
    }
    return;
  }
  line(text, "precision", "{}{}", precision_text(measurement.precision),
       goal_text(measurement, report.partial));
  if (report.finds_warm_up) {
    line(text, "warm-up", "{}, found out by the run", time_text(report.warm_up));
  }
  const std::string warning = unsteady_text(
      measurement.precision, report.finds_warm_up ? std::nullopt : std::optional(report.warm_up));
  if (!warning.empty()) line(text, "not steady", "{}", warning);
  line(text, "over time", "{}", over_time_text(measurement.series, unit));
}

void add_bound(Text& text, const Measurement& measurement) {
  if (const std::optional<Bound> bound = bound_of(measurement)) {
    line(text, "bound by", "{}", bound->text);
  }
  if (measurement.utilization.empty()) return;
  for (const auto& [label, cells] : core_time_lines(measurement.utilization)) {
    line(text, label, "{}", cells);
  }
  for (const auto& [label, cells] : busy_lines(measurement.utilization)) {
    line(text, label, "{}", cells);
  }
}

std::string processes_text(const std::vector<workloads::ProcessPart>& processes) {
  std::vector<std::string> parts;
  parts.reserve(processes.size());
  for (const workloads::ProcessPart& part : processes) {
    parts.push_back(
        fmt::format("node {} {}txn/s", part.node, format_scaled(part.throughput_per_s)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Nodes that run no transactions do not count, nor those that have died, nor what these committed.
std::string per_node_text(const Measurement& measurement, const Report& report) {
  if (report.of_node) return fmt::format(" of node {} alone", *report.of_node);
  const std::uint32_t nodes = report.nodes;
  if (measurement.nodes_by_role.empty() && measurement.died.empty()) {
    return fmt::format(", {}txn/s per node", format_scaled(measurement.throughput_per_s / nodes));
  }
  if (measurement.per_computing_node_per_s == 0) return "";
  const std::string rate = format_scaled(measurement.per_computing_node_per_s);
  if (measurement.lasting_nodes == measurement.computing_nodes) {
    return fmt::format(", {}txn/s per node that computes", rate);
  }
  return fmt::format(", {}txn/s per node that computed to the end, as {} of {} did", rate,
                     measurement.lasting_nodes, measurement.computing_nodes);
}

void add_measurement(Text& text, const Measurement& measurement, const Report& report) {
  const bool transactions = report.record.command == Command::kRun;
  if (transactions) {
    line(text, "throughput", "{}txn/s{}; {} committed in {}",
         format_scaled(measurement.throughput_per_s), per_node_text(measurement, report),
         measurement.committed, seconds_text(measurement.seconds));
    if (!measurement.processes.empty()) {
      line(text, "sum of", "{}", processes_text(measurement.processes));
    }
    if (measurement.ignores_conflicts) {
      line(text, "not isolated", "conflicts are ignored: results are not serializable");
    }
    if (measurement.offered_per_s != 0) {
      line(text, "offered", "{}txn/s; latency is from when a transaction was due",
           format_scaled(measurement.offered_per_s));
    }
    add_deaths(text, measurement);
    add_precision(text, measurement, report, "txn");
    line(text, "in flight", "{}", in_flight_text(measurement));
    add_kinds(text, measurement);
    add_latencies(text, measurement);
    add_shares(text, measurement);
    add_critical_path(text, measurement);
    add_served(text, measurement);
    add_aborts(text, measurement);
  } else {
    line(text, "throughput",
         "{}op/s, {}op/s per client, {}op/s per server, {}b/s of payload; {} completed in "
         "{}",
         format_scaled(measurement.throughput_per_s), format_scaled(measurement.per_client_per_s),
         format_scaled(measurement.per_server_per_s), format_scaled(measurement.carried_gbps * 1e9),
         measurement.committed, seconds_text(measurement.seconds));
    add_precision(text, measurement, report, "op");
    if (measurement.latency.count() > 0) {
      line(text, "in flight", "{}", in_flight_text(measurement));
    }
    add_latencies(text, measurement);
  }
  add_bound(text, measurement);
  const std::string unit = transactions ? "txn" : "op";
  add_counters(text, "NIC per " + unit, measurement.nic_counters, measurement.committed);
  if (!transactions) add_counters(text, "per " + unit, measurement.counters, measurement.committed);
  if (report.sim_seconds == 0) return;
  const double running = report.wall_seconds - report.setup_wall_seconds;
  if (running <= 0) return;
  line(text, "simulation speed", " {}{} and {}verbs per wall second",
       format_scaled(static_cast<double>(measurement.total) / running), transactions ? "txn" : "op",
       format_scaled(static_cast<double>(measurement.total_verbs) / running));
}

}  // namespace

std::string table_text(const Report& report) {
  Text text;
  line(text, "configuration", "{}", report.configuration);
  for (const auto& [key, value] : report.record.overrides) {
    line(text, "", "{} = {}", key, printable(value));
  }
  if (report.partial) {
    const double seconds = report.measurements.front().seconds;
    line(text, "partial", "{}",
         seconds == 0
             ? "interrupted before the measured time began: nothing was measured"
             : fmt::format("interrupted after {} of the measured time", seconds_text(seconds)));
  }
  for (const Measurement& measurement : report.measurements) {
    add_measurement(text, measurement, report);
  }
  if (report.sim_seconds != 0) {
    line(text, "time", "{} simulated in {:.2f} s, of which {:.2f} s set-up",
         seconds_text(report.sim_seconds), report.wall_seconds, report.setup_wall_seconds);
  } else {
    line(text, "time", "{:.2f} s, of which {:.2f} s set-up", report.wall_seconds,
         report.setup_wall_seconds);
  }
  if (!report.thread_bounds.empty()) {
    std::string bounds;
    for (const rdma::ThreadBound& bound : report.thread_bounds) {
      bounds += fmt::format("{}{} threads {:.2f}", bounds.empty() ? "" : ", ", bound.threads,
                            bound.speed_up);
    }
    line(text, "speed-up", "at most, by {}", bounds);
  }
  line(text, "peak memory", "{}", format_bytes(report.peak_rss_bytes));
  if (report.trace_digest != 0) line(text, "trace digest", "{:016x}", report.trace_digest);
  if (report.verdict) {
    const Verdict& verdict = *report.verdict;
    line(text, "verification", "{}: {}", verdict.errors.empty() ? "passed" : "FAILED",
         verdict.summary);
    for (const std::string& error : verdict.errors) line(text, "", "{}", error);
    for (const auto& [label, what] : anomaly_lines(verdict)) line(text, label, "{}", what);
  }
  line(text, "again", "{}", report.record.command_line());
  return fmt::to_string(text);
}

}  // namespace verbena::experiments
