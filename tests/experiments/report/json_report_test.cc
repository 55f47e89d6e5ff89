// The JSON document and the table of a report.
#include "experiments/report/json_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/config/resolve.h"
#include "experiments/report/text/configuration_text.h"
#include "experiments/report/text/table_report.h"
#include "txn/view.h"
#include "workloads/measure/latency_samples.h"

namespace verbena::experiments {
namespace {

Report example() {
  CommandLine line;
  line.sets = {{"fabric.ud_loss", "0.01", "--set"}};
  const auto command = std::get<RunCommand>(resolve(line));
  Report report;
  report.record = command.record;
  report.configuration = configuration_text(command);
  report.nodes = command.cluster.nodes;
  report.sim_seconds = 0.002;
  report.wall_seconds = 2.5;
  report.setup_wall_seconds = 0.5;
  report.peak_rss_bytes = 3 << 20;
  report.trace_digest = 0xabc;
  Measurement measurement;
  measurement.name = "drtmh/smallbank";
  measurement.seconds = 0.002;
  measurement.throughput_per_s = 5e6;
  measurement.committed = 10'000;
  measurement.total = 20'000;
  measurement.aborted = {{"lock_conflict", 100}, {"torn_read", 0}};
  workloads::LatencySamples samples(1000);
  for (int i = 1; i <= 1000; ++i) {
    measurement.latency.record(i * 100_ns);
    samples.record(i * 37 % 1000 * 2 * kMicrosecond, i * 100_ns);
  }
  measurement.latency_batches.add(samples, 0_ns, 2 * kMillisecond);
  measurement.phases.emplace_back("log", measurement.latency);
  measurement.series = workloads::IntervalSeries(0_ns, 2 * kMillisecond);
  for (int i = 0; i < 2000; ++i) measurement.series.commit(i * kMicrosecond, 30 * kMicrosecond);
  measurement.series.abort(1_ns);
  measurement.precision = workloads::precision_of(measurement.series);
  measurement.in_flight.record(40 * kMicrosecond);
  measurement.in_flight_until = 7 * kMicrosecond;
  measurement.committed_by_kind = {{"balance", 6'000}, {"write_check", 0}};
  measurement.latency_by_kind = {{"balance", 6'000 * 7 * kMicrosecond}, {"write_check", 0_ns}};
  measurement.counters["cache_hits"] = 3;
  measurement.nic_counters["verbs.read"] = 20'000;
  measurement.total_verbs = 40'000;
  report.measurements.push_back(measurement);
  return report;
}

TEST(JsonDocument, HoldsEverything) {
  const auto document = nlohmann::json::parse(json_document(example()));
  EXPECT_EQ(document["schema"]["name"], "verbena.results");
  EXPECT_EQ(document["schema"]["version"], 2);
  EXPECT_EQ(document["config"]["nodes"], 16);
  EXPECT_EQ(document["config"]["duration"], "auto");
  EXPECT_EQ(document["config"]["overrides"]["fabric.ud_loss"], "0.01");
  EXPECT_EQ(document["config"]["command_line"], "verbena run --seed 1 --set fabric.ud_loss=0.01");
  EXPECT_FALSE(document["config"].contains("peers")) << "does not concern this fabric";
  EXPECT_EQ(document["seed"], 1);
  EXPECT_EQ(document["fabric"], "sim");
  EXPECT_EQ(document["sim_seconds"], 0.002);
  EXPECT_EQ(document["wall_seconds"], 2.5);
  EXPECT_EQ(document["peak_rss_bytes"], 3 << 20);
  EXPECT_EQ(document["trace_digest"], "0000000000000abc");
  EXPECT_TRUE(document["commit"].is_string());
  EXPECT_TRUE(document["verification"].is_null());
  const auto& result = document["results"][0];
  EXPECT_EQ(result["name"], "drtmh/smallbank");
  EXPECT_EQ(result["throughput_per_s"], 5e6);
  EXPECT_EQ(result["committed"], 10'000);
  EXPECT_EQ(result["aborted"]["lock_conflict"], 100);
  EXPECT_EQ(result["counters"]["cache_hits"], 3);
  EXPECT_EQ(result["counters"]["nic.verbs.read"], 20'000);
  EXPECT_EQ(result["counters"]["committed.balance"], 6'000);
  EXPECT_EQ(result["kinds"]["balance"]["committed"], 6'000);
  EXPECT_EQ(result["kinds"]["balance"]["throughput_per_s"], 3e6);
  EXPECT_EQ(result["kinds"]["balance"]["mean_latency_us"], 7);
  EXPECT_TRUE(result["kinds"]["write_check"]["mean_latency_us"].is_null()) << "there was none";
  for (const auto& times : {result["latency_us"], result["phases"]["log"]}) {
    for (const char* name : {"mean", "max", "count"}) EXPECT_TRUE(times[name].is_number()) << name;
    for (const char* name : {"p50", "p90", "p99", "p999"}) {
      EXPECT_EQ(times[name].is_null(), times["intervals_95"][name].is_null()) << name;
    }
  }
  EXPECT_NEAR(result["latency_us"]["p50"], 50, 1.6);
  EXPECT_EQ(result["latency_us"]["max"], 100);
  EXPECT_EQ(result["series"]["committed"].size(), 60U);
  EXPECT_EQ(result["series"]["aborted"][0], 1);
  EXPECT_EQ(result["series"]["mean_latency_us"][59], 30);
  EXPECT_NEAR(result["precision"]["throughput_per_s"]["mean"].get<double>(), 1e6, 1e3);
  EXPECT_NEAR(result["precision"]["mean_latency_us"]["mean"].get<double>(), 30, 1e-9);
  EXPECT_TRUE(result["precision"]["throughput_per_s"]["steady"]);
  EXPECT_TRUE(result["precision"]["abort_share"].is_null()) << "of one nothing can be said";
  EXPECT_EQ(result["in_flight_us"]["count"], 1);
  EXPECT_EQ(result["in_flight_us"]["until"], 7);
  EXPECT_TRUE(result["in_flight_us"]["p50"].is_null()) << "of one age nobody knows more";
  EXPECT_TRUE(result["precision"]["bursts"].is_null());
  for (const char* name : {"p50", "p90", "p99", "p999"}) {
    const auto& latency = result["latency_us"];
    if (latency.contains("with_in_flight") && latency[name].is_null()) {
      EXPECT_TRUE(latency["with_in_flight"][name].is_null()) << name;
    }
  }
}

TEST(JsonDocument, HasNoIntervalsWhereTheMeanHasNone) {
  Report report = example();
  report.measurements[0].precision = {};
  const auto document = nlohmann::json::parse(json_document(report));
  const auto& result = document["results"][0];
  for (const auto& times : {result["latency_us"], result["phases"]["log"]}) {
    EXPECT_TRUE(times["mean"].is_number());
    EXPECT_TRUE(times["p50"].is_null());
    EXPECT_TRUE(times["intervals_95"]["p50"].is_null());
  }
  EXPECT_TRUE(result["phases"]["log"]["intervals_95"]["mean"].is_null());
}

TEST(JsonDocument, TellsWhatTheVerificationFound) {
  Report report = example();
  report.verdict = Verdict{"20000 committed", {"money vanished"}};
  EXPECT_FALSE(report.passed());
  const auto document = nlohmann::json::parse(json_document(report));
  EXPECT_EQ(document["verification"]["passed"], false);
  EXPECT_EQ(document["verification"]["errors"][0], "money vanished");
}

TEST(JsonDocument, IsWrittenEvenWithBytesThatAreNotUtf8) {
  Report report = example();
  report.record.values["json"] = "\xff.json";
  EXPECT_TRUE(nlohmann::json::accept(json_document(report)));
}

TEST(Table, TellsWhatPeopleAskFor) {
  Report report = example();
  report.verdict = Verdict{"20000 committed", {}};
  const std::string table = table_text(report);
  for (const char* part :
       {"smallbank on drtmh, 3 replicas; 16 nodes x 24 threads x 8 coroutines",
        "fabric.ud_loss = 0.01", "5.00 Mtxn/s, 312 ktxn/s per node; 10000 committed in 2.00 ms",
        "p99.9", "aborts          100 (0.99 % of attempts), lock_conflict 100", "verbs.read",
        "2.000", "10.0 ktxn and 20.0 kverbs per wall second",
        "2.00 ms simulated in 2.50 s, of which 0.50 s set-up", "3.00 MiB", "0000000000000abc",
        "verification    passed: 20000 committed",
        "again           verbena run --seed 1 --set fabric.ud_loss=0.01"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " in\n" << table;
  }
}

/// Two compute servers, a memory server and an oracle.
Report with_roles() {
  Report report = example();
  report.nodes = 4;
  Measurement& measurement = report.measurements.front();
  measurement.nodes_by_role = {{"compute", 2}, {"memory", 1}, {"oracle", 1}};
  measurement.per_computing_node_per_s = 2.5e6;
  measurement.times.emplace_back("snapshot_age", measurement.latency);
  workloads::Utilization& use = measurement.utilization;
  use.cores = {.count = 18, .waiting = 0.2, .mean = 0.8, .most = 0.95, .busiest = "node 0"};
  use.stations = {{.kind = "ports", .count = 4, .mean = 0.3, .most = 0.6, .busiest = "node 2"}};
  use.roles = {
      {.role = txn::Role::kCompute,
       .nodes = 2,
       .stations = {{.kind = "ports", .count = 2, .mean = 0.25, .most = 0.25, .busiest = "node 1"}},
       .cores = {.count = 16, .waiting = 0.1, .mean = 0.9, .most = 0.95, .busiest = "node 0"}},
      {.role = txn::Role::kMemory,
       .nodes = 1,
       .stations = {{.kind = "ports", .count = 1, .mean = 0.6, .most = 0.6, .busiest = "node 2"}},
       .cores = {.count = 1, .waiting = 0.97, .mean = 0.03, .most = 0.03, .busiest = "node 2"}},
      {.role = txn::Role::kOracle,
       .nodes = 1,
       .stations = {},
       .cores = {.count = 1, .waiting = 1, .mean = 0, .most = 0, .busiest = ""}}};
  return report;
}

TEST(JsonDocument, TellsOfEachRoleWhereNodesDifferInTheirs) {
  const auto document = nlohmann::json::parse(json_document(with_roles()));
  const auto& result = document["results"][0];
  EXPECT_EQ(result["nodes_by_role"]["compute"], 2);
  EXPECT_EQ(result["throughput_per_computing_node_per_s"], 2.5e6);
  EXPECT_NEAR(result["times"]["snapshot_age"]["p50"], 50, 1.6);
  const auto& roles = result["utilization"]["roles"];
  EXPECT_EQ(roles.size(), 3U);
  EXPECT_EQ(roles["memory"]["nodes"], 1);
  EXPECT_EQ(roles["memory"]["stations"]["ports"]["mean"], 0.6);
  EXPECT_EQ(roles["memory"]["cores"]["mean"], 0.03);
  EXPECT_EQ(roles["memory"]["cores"]["time"]["waiting"], 0.97);
  EXPECT_TRUE(roles["oracle"]["stations"].empty());
}

TEST(JsonDocument, OfNodesThatAreAlikeNamesNoRoles) {
  Report report = with_roles();
  report.measurements.front().nodes_by_role.clear();
  report.measurements.front().utilization.roles.clear();
  report.measurements.front().times.clear();
  const auto document = nlohmann::json::parse(json_document(report));
  const auto& result = document["results"][0];
  for (const char* name : {"nodes_by_role", "throughput_per_computing_node_per_s", "times"}) {
    EXPECT_FALSE(result.contains(name)) << name;
  }
  EXPECT_FALSE(result["utilization"].contains("roles"));
  EXPECT_FALSE(result["bound_by"].contains("role"));
}

TEST(JsonDocument, TellsWhoseResourceIsTheBound) {
  Report report = with_roles();
  workloads::StationsUse& ports = report.measurements.front().utilization.roles[1].stations.front();
  ports.saturated = 1;
  ports.saturated_mean = ports.most = 0.98;
  const auto document = nlohmann::json::parse(json_document(report));
  const auto& bound = document["results"][0]["bound_by"];
  EXPECT_EQ(bound["resource"], "ports");
  EXPECT_EQ(bound["role"], "memory");
  EXPECT_EQ(bound["busiest"], "node 2");
}

TEST(Table, HasALineForEachRoleWhereNodesDifferInTheirs) {
  const std::string table = table_text(with_roles());
  for (const char* part :
       {"5.00 Mtxn/s, 2.50 Mtxn/s per node that computes; 10000 committed in 2.00 ms", "\n  log ",
        "\n  snapshot_age ",
        "core time       waiting 20.0 %\n"
        "  2 compute     waiting 10.0 %\n"
        "  1 memory      waiting 97.0 %\n"
        "  1 oracle      waiting 100.0 %\n",
        "busy            worker cores 80/95 %, ports 30/60 % (mean/most)\n"
        "  2 compute     worker cores 90/95 %, ports 25/25 %\n"
        "  1 memory      worker cores 3/3 %, ports 60/60 %\n"
        "  1 oracle      worker cores 0/0 %\n"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " in\n" << table;
  }
}

TEST(Table, WhereNoNodeOfTheProcessComputesThereIsNoThroughputOfOne) {
  Report report = with_roles();
  report.measurements.front().per_computing_node_per_s = 0;
  const std::string table = table_text(report);
  EXPECT_EQ(table.find("per node"), std::string::npos) << table;
}

TEST(Table, AFailedVerificationIsPlain) {
  Report report = example();
  report.verdict = Verdict{"20000 committed", {"money vanished"}};
  const std::string table = table_text(report);
  EXPECT_NE(table.find("verification    FAILED: 20000 committed"), std::string::npos) << table;
  EXPECT_NE(table.find("money vanished"), std::string::npos) << table;
}

}  // namespace
}  // namespace verbena::experiments
