// A run's result by the names of the system and of the kinds of transactions.
#include "experiments/report/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "experiments/report/text/death_text.h"
#include "rdma/base/text/counted.h"
#include "txn/metrics.h"
#include "txn/system_info.h"
#include "txn/view.h"

namespace verbena::experiments {
namespace {

void tell_roles(const workloads::RunResult& result, Measurement& measurement) {
  for (const txn::Role role : result.roles) ++measurement.nodes_by_role[txn::role_name(role)];
  if (measurement.nodes_by_role.size() < 2) measurement.nodes_by_role.clear();
  measurement.computing_nodes = result.computing_nodes;
  measurement.lasting_nodes = result.lasting_nodes;
  const bool alike = measurement.nodes_by_role.empty() && result.lost.empty();
  if (alike || result.lasting_nodes == 0 || result.duration == 0) return;
  measurement.per_computing_node_per_s = static_cast<double>(result.committed_by_lasting) /
                                         to_seconds(result.duration) / result.lasting_nodes;
}

// Adds the measures that go by the system's own names.
void tell_system(const txn::SystemInfo& system, const txn::Metrics& metrics,
                 Measurement& measurement) {
  for (std::size_t i = 0; i < system.abort_causes.size(); ++i) {
    measurement.aborted[system.abort_causes[i]] = metrics.aborted[i];
  }
  measurement.phases_after_latency = system.phases_after_decision;
  for (std::size_t i = 0; i < system.phases.size(); ++i) {
    measurement.phases.emplace_back(system.phases[i], metrics.phases[i]);
  }
  for (std::size_t i = 0; i < system.times.size(); ++i) {
    measurement.times.emplace_back(system.times[i], metrics.times[i]);
  }
  for (std::size_t i = 0; i < system.phases.size(); ++i) {
    const txn::Served& served = metrics.served[i];
    if (served.calls == 0) continue;
    const auto mean = [&](std::uint64_t sum) {
      return static_cast<double>(sum) / static_cast<double>(served.calls);
    };
    measurement.served.push_back({.phase = system.phases[i],
                                  .calls = served.calls,
                                  .busy_ns = mean(served.busy_ns),
                                  .request_bytes = mean(served.request_bytes),
                                  .reply_bytes = mean(served.reply_bytes)});
  }
  for (std::size_t i = 0; i < system.counters.size(); ++i) {
    measurement.counters[system.counters[i]] = metrics.counters[i];
  }
}

}  // namespace

Measurement measurement_of(const std::string& name, workloads::RunResult& result) {
  Measurement measurement;
  measurement.name = name;
  measurement.seconds = to_seconds(result.duration);
  measurement.throughput_per_s = result.throughput_per_s;
  measurement.committed = result.metrics.committed;
  measurement.ignores_conflicts = result.system.isolation == txn::Isolation::kNone;
  measurement.total = result.committed_total;
  measurement.latency = result.metrics.latency;
  measurement.latency_batches = std::move(result.latency_batches);
  measurement.series = result.series;
  measurement.precision = result.precision;
  measurement.ended_by = result.ended_by;
  measurement.most_memory_bytes = result.most_memory_bytes;
  measurement.survival = result.survival;
  measurement.in_flight = result.in_flight;
  measurement.backlog = result.backlog;
  measurement.in_flight_until = result.in_flight_until;
  measurement.died = result.lost;
  measurement.given_up = result.given_up;
  measurement.processes = result.processes;
  measurement.given_up_for = result.given_up_for;
  tell_system(result.system, result.metrics, measurement);
  tell_roles(result, measurement);
  measurement.committed_by_kind = result.committed_by_kind;
  measurement.latency_by_kind = result.latency_by_kind;
  measurement.squares_by_kind = result.squares_by_kind;
  measurement.nic_counters = std::move(result.nic_counters);
  measurement.utilization = std::move(result.utilization);
  measurement.rolled_back = result.rolled_back;
  measurement.rolling_back = result.rolling_back;
  measurement.retrying = result.retrying;
  measurement.total_verbs = verbs_of(result.total_nic_counters);
  return measurement;
}

Verdict verdict_of(const workloads::RunResult& result) {
  const workloads::Verification& check = result.verification;
  const char* level = isolation_name(result.system.isolation);
  Verdict verdict;
  verdict.summary =
      fmt::format("{} committed, {}, ", result.committed_total,
                  counted(check.records_checked, "copy of a record", "copies of records"));
  if (result.lost.empty()) {
    verdict.summary += fmt::format("total {} = {} {:+}; ", check.final_total, check.initial_total,
                                   check.committed_change);
  } else {
    verdict.summary += died_text(result.lost) + ", so totals are not compared; ";
  }
  if (check.undecided > 0) {
    verdict.summary +=
        fmt::format("{} left prepared, and what holds between records is not checked there; ",
                    counted(check.undecided, "record is", "records are"));
  }
  if (result.given_up > 0) {
    verdict.summary += fmt::format("{} given up for what was left; ", result.given_up);
  }
  verdict.summary +=
      result.replayed
          ? fmt::format("{} replayed for {}", *result.replayed, level)
          : fmt::format("{} is checked where one process hosts all nodes and loads all records",
                        level);
  if (result.undecided > 0) {
    verdict.summary += fmt::format(", {} of them undecided, which took too long", result.undecided);
  }
  verdict.errors = check.errors;
  if (!check.checked) verdict.errors.emplace_back("the final state was not checked");
  if (result.anomaly) {
    verdict.errors.push_back("history: " + anomaly_text(result.anomaly));
    verdict.anomaly = result.anomaly;
    verdict.tables = result.tables;
  }
  return verdict;
}

}  // namespace verbena::experiments
