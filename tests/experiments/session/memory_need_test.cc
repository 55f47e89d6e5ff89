// Which simulated clusters are refused for their memory.
#include "experiments/session/memory_need.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

ClusterOptions cluster(std::uint32_t nodes, std::uint32_t threads, std::uint32_t connections) {
  ClusterOptions options;
  options.nodes = nodes;
  options.endpoint.workers = threads;
  options.endpoint.qps_per_peer = connections;
  return options;
}

std::string complaint(const ClusterOptions& options, std::uint64_t memory_bytes) {
  try {
    check_memory_need(options, memory_bytes);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryNeed, QueuePairsGrowWithTheSquareOfTheNodes) {
  EXPECT_EQ(queue_pairs_of(cluster(16, 24, 1)), 6144U);
  EXPECT_EQ(queue_pairs_of(cluster(32, 24, 5)), 4U * 5 * 6144);
  EXPECT_EQ(queue_pairs_of(cluster(1024, 256, 64)), 17'179'869'184U);
}

TEST(MemoryNeed, ThreadsOfABenchMayShareQueuePairs) {
  EXPECT_EQ(queue_pairs_of(cluster(16, 24, 1), 5), 16U * 5 * 16);
}

TEST(MemoryNeed, WhatCannotFitIsRefused) {
  EXPECT_EQ(complaint(cluster(1024, 256, 1), 24 * kGibibyte),
            "--nodes 1024 with --threads 256 and --connections 1 have 268435456 queue pairs, which "
            "need more than 54.00 GiB of memory; this machine has 24.00 GiB");
  EXPECT_EQ(complaint(cluster(1024, 256, 1), 64 * kGibibyte), "");
  EXPECT_EQ(complaint(cluster(16, 24, 1), kGibibyte), "");
}

/// Estimate in MiB of a cluster that is simulated for a time.
double expected_mib(ClusterOptions options, const char* work, Nanoseconds time,
                    std::uint64_t buffers_bytes = 0) {
  options.warmup = 50 * kMicrosecond;
  options.duration = time;
  return static_cast<double>(
             expected_memory_bytes(options, {.name = work, .buffers_bytes = buffers_bytes})) /
         (1 << 20);
}

// Peak memory as `verbena run` and `verbena bench` told it.
TEST(MemoryNeed, IsExpectedAsItWasMeasured) {
  constexpr double kFifth = 0.2;
  const auto expect = [](double estimate, double measured) {
    EXPECT_NEAR(estimate, measured, kFifth * measured);
  };
  expect(expected_mib(cluster(4, 4, 1), "smallbank", 200 * kMicrosecond), 81);
  expect(expected_mib(cluster(8, 4, 1), "smallbank", 5 * kMillisecond), 101);
  expect(expected_mib(cluster(16, 24, 1), "smallbank", 200 * kMicrosecond), 158);
  expect(expected_mib(cluster(16, 24, 1), "smallbank", 3 * kMillisecond), 292);
  expect(expected_mib(cluster(64, 24, 1), "smallbank", 100 * kMicrosecond), 412);
  expect(expected_mib(cluster(128, 24, 1), "smallbank", 150 * kMicrosecond), 852);
  expect(expected_mib(cluster(250, 24, 1), "smallbank", 20 * kMicrosecond), 1690);
  expect(expected_mib(cluster(500, 24, 1), "smallbank", kMillisecond), 6896);
  expect(expected_mib(cluster(16, 8, 1), "tpcc-no", kMillisecond), 221);
  expect(expected_mib(cluster(16, 24, 1), "tpcc-no", 300 * kMicrosecond), 351);
  expect(expected_mib(cluster(16, 8, 1), "tpcc", 500 * kMicrosecond), 180);
  expect(expected_mib(cluster(16, 8, 1), "ycsb", kMillisecond), 178);
  expect(expected_mib(cluster(16, 24, 1), "ycsb", 3 * kMillisecond), 389);
  expect(expected_mib(cluster(16, 8, 1), "tatp", kMillisecond), 120);
  expect(expected_mib(cluster(16, 24, 1), "read", 100 * kMicrosecond), 107);
  expect(expected_mib(cluster(48, 24, 1), "read", 50 * kMicrosecond), 181);
  expect(expected_mib(cluster(128, 24, 1), "read", 10 * kMicrosecond), 436);
  expect(expected_mib(cluster(16, 24, 1), "rpc", 100 * kMicrosecond), 130);
  expect(expected_mib(cluster(48, 24, 1), "rpc", 100 * kMicrosecond), 260);
  expect(expected_mib(cluster(16, 24, 1), "send", 100 * kMicrosecond), 199);
  expect(expected_mib(cluster(16, 24, 1), "write-rpc", 100 * kMicrosecond), 149);
  expect(expected_mib(cluster(16, 24, 1), "indirect-read", 100 * kMicrosecond), 145);
  // Payloads of 64 KiB, 16 of them under way.
  expect(expected_mib(cluster(16, 24, 1), "read", 100 * kMicrosecond, 16 << 16), 531);
}

// "MemTotal:       24554860 kB"
std::uint64_t kernels_total_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  file >> name >> kibibytes;
  EXPECT_EQ(name, "MemTotal:");
  return kibibytes * 1024;
}

TEST(MemoryNeed, KnowsWhatTheKernelSaysThatThisMachineHas) {
  EXPECT_EQ(physical_memory_bytes(), kernels_total_bytes());
}

TEST(MemoryNeed, LeavesARunRoomBeyondItsLimit) {
  constexpr std::uint64_t kMib = 1ULL << 20;
  EXPECT_EQ(usual_most_memory_bytes(10'000 * kMib, 0), 6000 * kMib);
  EXPECT_EQ(usual_most_memory_bytes(10'000 * kMib + 5, 0), 6000 * kMib) << "in whole MiB";
  EXPECT_EQ(usual_most_memory_bytes(10'000 * kMib, 1250), 3000 * kMib) << "4 MiB for each worker";
  EXPECT_EQ(usual_most_memory_bytes(0, 1), kMib);
}

}  // namespace
}  // namespace verbena::experiments
