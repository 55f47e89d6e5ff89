// Counts of the counter server, and when snapshots move on.
#include "txn/si2pc/timestamps.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "tests/txn/si2pc/partition_cluster.h"

namespace verbena::testing {
namespace {

using txn::si2pc::Timestamps;

// On a core of the cluster's.
void on_core(const std::function<void(rdma::Core&)>& body) {
  PartitionCluster({}).run({[&](txn::Transaction&, rdma::Worker& worker) { body(worker.core()); }});
}

TEST(Si2pcTimestamps, SnapshotsHoldWhatWasLoaded) {
  on_core([](rdma::Core& core) {
    Timestamps timestamps;
    EXPECT_EQ(timestamps.snapshot(core), Timestamps::kLoaded);
    EXPECT_EQ(timestamps.pending(), 0U);
  });
}

TEST(Si2pcTimestamps, SnapshotsWaitForTheFirstThatIsNotFinished) {
  on_core([](rdma::Core& core) {
    Timestamps timestamps;
    const std::uint64_t first = timestamps.next(core);
    const std::uint64_t second = timestamps.next(core);
    const std::uint64_t third = timestamps.next(core);
    EXPECT_LT(Timestamps::kLoaded, first);
    EXPECT_LT(first, second);
    EXPECT_LT(second, third);
    timestamps.finish(second, core);
    EXPECT_EQ(timestamps.snapshot(core), Timestamps::kLoaded);
    timestamps.finish(first, core);
    EXPECT_EQ(timestamps.snapshot(core), second);
    EXPECT_EQ(timestamps.pending(), 1U);
    timestamps.finish(third, core);
    EXPECT_EQ(timestamps.snapshot(core), third);
    EXPECT_EQ(timestamps.pending(), 0U);
  });
}

TEST(Si2pcTimestamps, DoNotBeginAgain) {
  EXPECT_EQ(Timestamps::count_after(0), 1U);
  EXPECT_EQ(Timestamps::count_after(UINT32_MAX - 1), UINT32_MAX);
  EXPECT_THROW(Timestamps::count_after(UINT32_MAX), std::runtime_error);
}

}  // namespace
}  // namespace verbena::testing
