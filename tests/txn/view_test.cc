// Views say who holds what, and refuse what nobody could hold.
#include "txn/view.h"

#include <gtest/gtest.h>

#include <vector>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

std::vector<NodeId> backups(const View& view, PartitionId partition) {
  const auto span = view.backups(partition);
  return {span.begin(), span.end()};
}

TEST(View, ARingHasEveryPartitionOnItsNodeAndTheNextOnes) {
  const View view = View::ring({.nodes = 4, .replicas = 3});
  EXPECT_EQ(view.nodes(), 4U);
  EXPECT_EQ(view.partitions(), 4U);
  EXPECT_EQ(view.primary(2), 2);
  EXPECT_EQ(backups(view, 2), (std::vector<NodeId>{3, 0}));
  EXPECT_TRUE(view.computes(3));
}

TEST(View, ARingRefusesMoreReplicasThanNodesAndNone) {
  EXPECT_THROW(View::ring({.nodes = 2, .replicas = 3}), ConfigurationError);
  EXPECT_THROW(View::ring({.nodes = 2, .replicas = 0}), ConfigurationError);
}

TEST(View, MemoryNodesHoldThePartitionsOfAll) {
  const View view(7, {Role::kCompute, Role::kMemory}, {{1}, {1}});
  EXPECT_EQ(view.epoch(), 7U);
  EXPECT_TRUE(view.computes(0));
  EXPECT_FALSE(view.computes(1));
  EXPECT_EQ(view.primary(0), 1);
  EXPECT_TRUE(backups(view, 0).empty());
}

TEST(View, RefusesHoldersThatDoNotExistOrHoldTwice) {
  EXPECT_THROW(View(0, {Role::kBoth}, {{1}}), ConfigurationError);
  EXPECT_THROW(View(0, {Role::kBoth}, {{}}), ConfigurationError);
  EXPECT_THROW(View(0, {Role::kBoth, Role::kBoth}, {{0, 1, 0}}), ConfigurationError);
}

}  // namespace
}  // namespace verbena::txn
