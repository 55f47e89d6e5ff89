// Clients of key-value stores that stop.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/reached_points.h"
#include "tests/support/crash.h"
#include "tests/txn/kv/kv_run.h"

namespace verbena::testing {
namespace {

constexpr NodeId kServer{0};
constexpr NodeId kClient{2};  // of two
constexpr std::uint64_t kTransactions = 50;
constexpr const char* kFound = "prism: buffers of a dead client found";

/// Four records for two clients, one of which stops. Few buffers can be on their way back, so that
/// books are strict.
KvRun run_with(Crash& dies, const std::string& system, std::uint64_t seed) {
  return {.system = system,
          .seed = seed,
          .chaos = seed % 2 == 0,
          .of_workload = {{"keys_per_transaction", "1"},
                          {"records", "4"},
                          {"update_percent", "80"},
                          {"read_percent", "20"},
                          {"update", system == "pilaf" || seed % 4 < 2 ? "replace" : "change"}},
          .of_system = found_soon(),
          .duration = kSecond,
          .max_transactions = kTransactions,
          .notify_window = 1,
          .crashes = {&dies}};
}

void expect_that_others_go_on(const std::string& system, const std::string& point,
                              ReachedPoints& reached) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crash dies(kClient, point, 20 + seed);
    KvRun run = run_with(dies, system, seed);
    run.reached = &reached;
    const auto result = run_kv(run);
    EXPECT_TRUE(dies.happened()) << "seed " << seed;
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
    EXPECT_GE(result.committed_total, 2U * 4 * kTransactions) << "seed " << seed;
  }
}

// Its install may be carried out, and the buffer that it replaced is nobody's then.
TEST(KvFaults, OthersGoOnWithoutAClientThatStopsAsItInstalls) {
  ReachedPoints reached;
  expect_that_others_go_on("prism-kv", "kv: install sent", reached);
  EXPECT_TRUE(reached.points().contains(kFound));
  EXPECT_TRUE(reached.points().contains("prism: client is silent for too long"));
}

TEST(KvFaults, OthersGoOnWithoutAClientThatStopsBeforeItGivesABufferBack) {
  ReachedPoints reached;
  expect_that_others_go_on("prism-kv", "kv: install answered", reached);
  EXPECT_TRUE(reached.points().contains(kFound));
}

// A client that is alive may be just about to report its buffers.
TEST(KvFaults, OthersKeepTheirBuffers) {
  ReachedPoints reached;
  for (std::uint64_t seed = 101; seed <= 120; ++seed) {
    Crash dies(kClient, "kv: install answered", 10 + seed % 20);
    KvRun run = run_with(dies, "prism-kv", seed);
    run.max_transactions = 1000;
    run.of_system.emplace_back("prism.spares", "4");
    run.notify_window = 64;
    run.reached = &reached;
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
  }
  EXPECT_TRUE(reached.points().contains(kFound));
}

// With many records, which are not overwritten.
TEST(KvFaults, WhatItHasWrittenStays) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Crash dies(kClient, "kv: install answered", 100 + seed);
    KvRun run = run_with(dies, "prism-kv", seed);
    run.of_workload[1].second = "2000";
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
  }
}

// Each of several servers finds the death, or is told.
TEST(KvFaults, AllServersFindOut) {
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    constexpr NodeId kLast{4};
    Crash dies(kLast, "kv: install sent", 20 + seed);
    KvRun run = run_with(dies, "prism-kv", seed);
    run.nodes = 5;
    run.reached = &reached;
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kLast}) << "seed " << seed;
  }
  EXPECT_TRUE(reached.points().contains("prism: told of a death"));
}

TEST(KvFaults, OthersGoOnWithoutAClientOfPilaf) {
  ReachedPoints reached;
  expect_that_others_go_on("pilaf", "kv: put sent", reached);
  expect_that_others_go_on("pilaf", "kv: put answered", reached);
}

TEST(KvFaults, WithoutAServerTheRunEnds) {
  for (const char* system : {"prism-kv", "pilaf"}) {
    Crash dies(kServer, "prism: sign of life heard", 3);
    try {
      run_kv(run_with(dies, system, 1));
      FAIL() << system << " goes on without its server";
    } catch (const PeerMissing& missing) {
      EXPECT_NE(std::string(missing.what()).find("node 0"), std::string::npos) << missing.what();
    }
  }
}

}  // namespace
}  // namespace verbena::testing
