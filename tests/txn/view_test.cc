// Views say who holds what, and refuse what nobody could hold.
#include "txn/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
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

TEST(View, ServersApartHoldAPartitionEachAndOthersCompute) {
  const View view = View::apart(5, 2);
  EXPECT_EQ(view.nodes(), 5U);
  EXPECT_EQ(view.partitions(), 2U);
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    const NodeId server = view.primary(partition);
    EXPECT_EQ(server, NodeId(std::uint16_t{partition}));
    EXPECT_EQ(view.role(server), Role::kMemory);
    EXPECT_TRUE(backups(view, partition).empty());
  }
  for (const NodeId client : {NodeId{2}, NodeId{4}}) EXPECT_EQ(view.role(client), Role::kCompute);
  EXPECT_THROW(View::apart(2, 3), ConfigurationError);
}

TEST(View, MemoryNodesHoldThePartitionsOfAll) {
  const View view({Role::kCompute, Role::kMemory}, {{1}, {1}});
  EXPECT_TRUE(view.computes(0));
  EXPECT_FALSE(view.computes(1));
  EXPECT_EQ(view.primary(0), 1);
  EXPECT_TRUE(backups(view, 0).empty());
}

TEST(View, WorkersAreAtHomeInTheirNodesPartitions) {
  const View ring = View::ring({.nodes = 4, .replicas = 2});
  EXPECT_EQ(ring.home(2, 5).partition, 2);
  EXPECT_EQ(ring.home(2, 5).client, 5);
  const View two_each({Role::kBoth, Role::kBoth}, {{0}, {1}, {0}, {1}});
  EXPECT_EQ(two_each.home(1, 0).partition, 1);
  EXPECT_EQ(two_each.home(1, 3).partition, 3);
  EXPECT_EQ(two_each.home(1, 3).client, 1);
}

TEST(View, WorkersOfNodesWithoutPartitionsShareAllOfThemEvenly) {
  constexpr std::uint32_t kClients = 5;
  constexpr std::uint32_t kWorkers = 3;
  for (const std::uint32_t partitions : {1U, 2U, 4U}) {
    std::vector<std::vector<NodeId>> holders(partitions, {kClients});
    std::vector<Role> roles(kClients, Role::kCompute);
    roles.push_back(Role::kMemory);
    const View view(roles, holders);
    std::set<std::pair<PartitionId, WorkerId>> homes;
    std::vector<std::uint32_t> clients(partitions);
    for (NodeId node = 0; node < kClients; ++node) {
      for (WorkerId worker = 0; worker < kWorkers; ++worker) {
        const Home home = view.home(node, worker);
        ++clients.at(home.partition);
        EXPECT_TRUE(homes.insert({home.partition, home.client}).second);
      }
    }
    const auto [fewest, most] = std::ranges::minmax(clients);
    EXPECT_LE(most - fewest, 1U);
  }
}

TEST(View, RefusesHoldersThatDoNotExistOrHoldTwice) {
  EXPECT_THROW(View({Role::kBoth}, {{1}}), ConfigurationError);
  EXPECT_THROW(View({Role::kBoth}, {{}}), ConfigurationError);
  EXPECT_THROW(View({Role::kCompute}, {{0}}), ConfigurationError);
  EXPECT_THROW(View({Role::kBoth, Role::kOracle}, {{0, 1}}), ConfigurationError);
  EXPECT_THROW(View({Role::kBoth, Role::kBoth}, {{0, 1, 0}}), ConfigurationError);
}

}  // namespace
}  // namespace verbena::txn
