// What seeds stand for.
#include "experiments/hunt/draw.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "rdma/base/errors.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

HuntGround everything() {
  return {.systems = txn::system_names(), .workloads = workloads::workload_names(), .sets = {}};
}

TEST(HuntDraw, EqualSeedsAreEqualRuns) {
  const HuntGround ground = everything();
  std::set<std::string> lines;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(draw_run(seed, ground).command_line(), draw_run(seed, ground).command_line());
    lines.insert(draw_run(seed, ground).command_line());
  }
  EXPECT_EQ(lines.size(), 100U);
}

TEST(HuntDraw, AnotherDrawOfASeedIsAnotherRunOfIt) {
  const HuntedRun first = draw_run(7, everything());
  const HuntedRun second = draw_run(7, everything(), 1);
  EXPECT_EQ(second.seed, 7U);
  EXPECT_NE(second.settings, first.settings);
  EXPECT_EQ(second.settings, draw_run(7, everything(), 1).settings);
}

TEST(HuntDraw, ComesByAllSystemsWorkloadsAndWaysOfTheFabric) {
  const HuntGround ground = everything();
  std::set<std::string> systems;
  std::set<std::string> workloads;
  std::set<std::string> transports;
  std::set<std::string> chaos;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    systems.insert(run.value_of("system"));
    workloads.insert(run.value_of("workload"));
    transports.insert(run.value_of("rdma.rpc_transport"));
    chaos.insert(run.value_of("chaos"));
  }
  EXPECT_EQ(systems.size(), ground.systems.size());
  EXPECT_EQ(workloads.size(), ground.workloads.size());
  EXPECT_EQ(transports, (std::set<std::string>{"", "write-ring"}));
  EXPECT_EQ(chaos, (std::set<std::string>{"", "true"}));
}

TEST(HuntDraw, OrderNumbersAreDrawnWhereSystemsCan) {
  const HuntGround ground = everything();
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("workload.next_order").empty()) continue;
    drawn.insert(run.value_of("workload"));
    EXPECT_TRUE(txn::load_system(run.value_of("system"))->info().draws);
  }
  EXPECT_EQ(drawn, (std::set<std::string>{"tpcc", "tpcc-no"}));
}

TEST(HuntDraw, WhatIsSetIsNotDrawn) {
  HuntGround ground = everything();
  ground.sets = {{.key = "nodes", .value = "2", .place = "--set"},
                 {.key = "workload.records", .value = "3", .place = "--set"}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    EXPECT_EQ(run.value_of("nodes"), "2");
    EXPECT_EQ(run.value_of("workload.records"), "3");
    EXPECT_LE(run.value_of("replicas"), "2") << "what follows from it fits it";
  }
}

TEST(HuntDraw, RefusesToSetWhatNoRunCouldHave) {
  HuntGround ground = everything();
  EXPECT_NO_THROW(check_ground(ground));
  ground.sets = {{.key = "nodes", .value = "none", .place = "--set"}};
  EXPECT_THROW(check_ground(ground), ConfigurationError);
  ground.sets = {{.key = "workload.records", .value = "3", .place = "--set"}};
  ground.workloads = {"stress"};
  EXPECT_NO_THROW(check_ground(ground));
  ground.workloads = {"smallbank"};
  EXPECT_THROW(check_ground(ground), ConfigurationError) << "it is of another workload";
}

}  // namespace
}  // namespace verbena::experiments
