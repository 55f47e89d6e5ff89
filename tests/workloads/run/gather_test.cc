// Results of the processes of a cluster, told as one.
#include "workloads/run/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/hardware/hardware_fabric.h"
#include "tests/support/free_addresses.h"
#include "txn/registry/load_system.h"

namespace verbena::workloads {
namespace {

constexpr Nanoseconds kWindow = 24 * kMillisecond;
constexpr Nanoseconds kPatience = 20 * kSecond;

/// A process that committed so many transactions, all of which took as long.
RunResult result_with(std::uint64_t committed, Nanoseconds latency, const std::string& error) {
  RunResult result;
  result.computing_nodes = 1;
  result.lasting_nodes = 1;
  result.system = txn::load_system("drtmh")->info();
  result.metrics = txn::Metrics(result.system);
  result.series = IntervalSeries(0, kWindow);
  LatencySamples samples(1024);
  for (std::uint64_t i = 0; i < committed; ++i) {
    const Nanoseconds at =
        kWindow * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(committed);
    result.metrics.latency.record(latency);
    result.metrics.phases[0].record(latency / 2);
    result.series.commit(at, latency);
    samples.record(at, latency);
  }
  result.latency_batches.add(samples, 0, kWindow);
  result.metrics.committed = committed;
  result.metrics.aborted[1] = committed / 100;
  result.duration = kWindow;
  result.throughput_per_s = static_cast<double>(committed) / to_seconds(kWindow);
  result.committed_total = 2 * committed;
  result.committed_by_kind["write"] = committed;
  result.verification.checked = true;
  result.verification.records_checked = committed / 2;
  result.verification.errors = {error};
  return result;
}

/// The results of a cluster's processes after gather(), in which process n had `results`[n].
/// `without` are gone by then.
std::vector<RunResult> gathered(std::vector<RunResult> results,
                                const std::vector<std::size_t>& without = {}) {
  const std::vector<std::string> addresses = testing::free_addresses(results.size());
  std::vector<std::unique_ptr<rdma::Fabric>> fabrics;
  for (std::size_t n = 0; n < results.size(); ++n) {
    fabrics.push_back(
        rdma::make_hardware_fabric({.nodes = static_cast<std::uint32_t>(results.size()),
                                    .hosted = {static_cast<NodeId>(n)},
                                    .addresses = addresses}));
  }
  std::vector<std::jthread> threads;
  for (std::size_t n = 0; n < results.size(); ++n) {
    if (std::ranges::find(without, n) != without.end()) continue;
    threads.emplace_back([&, n] { gather(*fabrics[n], results[n], kPatience); });
  }
  threads.clear();
  return results;
}

TEST(Gather, TellsTheSumInTheProcessOfNode0) {
  const auto results = gathered({result_with(1000, 10 * kMicrosecond, "a"),
                                 result_with(2000, 20 * kMicrosecond, "b"),
                                 result_with(3000, 30 * kMicrosecond, "b")});
  const RunResult& all = results[0];
  EXPECT_EQ(all.metrics.committed, 6000U);
  EXPECT_DOUBLE_EQ(all.throughput_per_s, 6000 / to_seconds(kWindow));
  EXPECT_EQ(all.metrics.latency.count(), 6000U);
  EXPECT_DOUBLE_EQ(all.metrics.latency.mean(), (1000 * 10 + 2000 * 20 + 3000 * 30) / 6.0);
  EXPECT_NEAR(static_cast<double>(all.metrics.latency.percentile(0.4)), 20'000, 20'000 / 32.0);
  EXPECT_EQ(all.metrics.phases[0].count(), 6000U);
  EXPECT_EQ(all.metrics.aborted[1], 60U);
  EXPECT_EQ(all.committed_total, 12000U);
  EXPECT_EQ(all.committed_by_kind.at("write"), 6000U);
  EXPECT_EQ(all.computing_nodes, 3U);
  EXPECT_EQ(all.verification.records_checked, 3000U);
  EXPECT_EQ(all.verification.errors, (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(all.precision.throughput_per_s);
  EXPECT_NEAR(all.precision.throughput_per_s->estimate.mean, all.throughput_per_s, 1);
  EXPECT_FALSE(all.latency_batches.share_half_widths(0).empty());
  ASSERT_EQ(all.processes.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(all.processes[n].node, static_cast<NodeId>(n));
    EXPECT_EQ(all.processes[n].committed, 1000 * (n + 1));
  }
}

TEST(Gather, HasNoCourseWhereWindowsDiffer) {
  RunResult stopped = result_with(2000, 20 * kMicrosecond, "b");
  stopped.duration = kWindow / 2;
  stopped.series = stopped.series.closed(kWindow / 2);
  const auto results = gathered({result_with(1000, 10 * kMicrosecond, "a"), stopped});
  const RunResult& all = results[0];
  EXPECT_EQ(all.metrics.committed, 3000U);
  EXPECT_FALSE(all.precision.throughput_per_s);
  EXPECT_TRUE(all.latency_batches.share_half_widths(0).empty());
}

TEST(Gather, TellsWhatDoesNotAddUpElsewhere) {
  RunResult unsound = result_with(2000, 20 * kMicrosecond, "b");
  unsound.unsound = {"one is counted twice"};
  const auto results = gathered({result_with(1000, 10 * kMicrosecond, "a"), unsound});
  EXPECT_EQ(results[0].unsound, unsound.unsound);
}

TEST(Gather, TakesNothingFromTheLost) {
  RunResult first = result_with(1000, 10 * kMicrosecond, "a");
  first.lost = {1};
  const auto results = gathered(
      {first, result_with(2000, 20 * kMicrosecond, "b"), result_with(3000, 30 * kMicrosecond, "b")},
      {1});
  EXPECT_EQ(results[0].metrics.committed, 4000U);
  EXPECT_EQ(results[0].processes.size(), 2U);
}

TEST(Gather, TellsTheOthersWhyNode0HasEnded) {
  const std::vector<std::string> addresses = testing::free_addresses(2);
  const auto fabric_of = [&](NodeId node) {
    return rdma::make_hardware_fabric({.nodes = 2, .hosted = {node}, .addresses = addresses});
  };
  const auto teller = fabric_of(0);
  const auto other = fabric_of(1);
  teller->rendezvous().end("no room for the document", 0);
  RunResult result = result_with(10, kMicrosecond, "a");
  try {
    gather(*other, result, kPatience);
    ADD_FAILURE() << "is content";
  } catch (const PeerMissing& error) {
    EXPECT_NE(std::string(error.what()).find("no room for the document"), std::string::npos)
        << error.what();
  }
}

TEST(Gather, LeavesTheOthersWhatIsTheirs) {
  const auto results = gathered(
      {result_with(1000, 10 * kMicrosecond, "a"), result_with(2000, 20 * kMicrosecond, "b")});
  EXPECT_EQ(results[1].metrics.committed, 2000U);
  EXPECT_EQ(results[1].verification.errors, std::vector<std::string>{"b"});
  EXPECT_TRUE(results[1].processes.empty());
}

TEST(Gather, RefusesWhatIsNoResult) {
  std::vector<std::byte> bytes = bytes_of(result_with(10, kMicrosecond, "a"));
  EXPECT_EQ(result_of(bytes).metrics.committed, 10U);
  bytes.pop_back();
  EXPECT_THROW(result_of(bytes), Malformed);
  bytes.resize(bytes.size() + 2);
  EXPECT_THROW(result_of(bytes), Malformed);
  EXPECT_THROW(result_of({}), Malformed);
}

}  // namespace
}  // namespace verbena::workloads
