// Quantities of runs whose nodes differ in their roles, and times that are no phase.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/points/quantity.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

/// 12 M transactions per second on four nodes that are alike.
json alike() {
  const json times = {{"count", 9}, {"p50", 5},  {"p90", 6}, {"p99", 7},
                      {"p999", 8},  {"mean", 4}, {"max", 9}};
  return {{"trace_digest", "0000000000000abc"},
          {"config", {{"nodes", 4}}},
          {"results",
           {{{"name", "drtmh/smallbank"},
             {"values", json::object()},
             {"throughput_per_s", 12e6},
             {"committed", 900},
             {"aborted", {{"lock_conflict", 100}}},
             {"latency_us", times},
             {"phases", {{"log", times}}}}}}};
}

/// The same on three compute servers and a memory server.
json with_roles() {
  json document = alike();
  json& result = document["results"][0];
  result["nodes_by_role"] = {{"compute", 3}, {"memory", 1}};
  result["times"] = {{"snapshot_age", result["phases"]["log"]}};
  const auto role = [](double cores, const json& stations) {
    return json{{"cores", {{"mean", cores}}}, {"stations", stations}};
  };
  result["utilization"]["roles"] = {{"compute", role(0.9, json::object())},
                                    {"memory", role(0.1, {{"ports", {{"mean", 0.6}}}})}};
  return document;
}

double quantity(const json& document, const std::string& name) {
  return quantity_of(parse_point_result(document.dump()), name);
}

TEST(RoleQuantities, PerNodeCountsNodesThatCompute) {
  EXPECT_DOUBLE_EQ(quantity(alike(), "throughput_per_node"), 3);
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "throughput_per_node"), 4);
}

TEST(RoleQuantities, OfEachRoleThereAreMeanSharesOfItsResources) {
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "compute_cores"), 0.9);
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "memory_cores"), 0.1);
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "memory_ports"), 0.6);
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "compute_ports"), 0) << "they did nothing";
  EXPECT_TRUE(std::isnan(quantity(with_roles(), "oracle_cores"))) << "there is none";
  EXPECT_TRUE(std::isnan(quantity(alike(), "compute_cores")));
}

TEST(RoleQuantities, TimesThatAreNoPhaseHaveTheirOwn) {
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "snapshot_age_p50"), 5);
  EXPECT_DOUBLE_EQ(quantity(with_roles(), "snapshot_age_mean"), 4);
  EXPECT_TRUE(std::isnan(quantity(alike(), "snapshot_age_p50")));
  EXPECT_DOUBLE_EQ(quantity(alike(), "log_p50"), 5);
  EXPECT_EQ(quantity_unit("snapshot_age_p50"), "us");
}

}  // namespace
}  // namespace verbena::experiments
