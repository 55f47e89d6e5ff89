// Places of records that a compute server's thread takes many at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/steps.h"
#include "txn/nam/measures.h"

namespace verbena::testing {
namespace {

using txn::Key;
using txn::PartitionId;
using txn::Transaction;
using txn::nam::Counter;

constexpr Key kFirst = 100;
constexpr PartitionId kHere{0};

bool insert(Transaction& transaction, Key key, PartitionId partition = kHere) {
  transaction.begin();
  const auto handle = transaction.want(1, partition, key, Transaction::Intent::kInsert);
  if (!transaction.fetch()) {
    transaction.abandon();
    return false;
  }
  if (transaction.found(handle)) return transaction.commit();
  transaction.create_payload(handle);
  word_of(transaction, handle) = key;
  return transaction.commit();
}

/// Where machines are slow snapshots may get too old.
void insert_in_the_end(Transaction& transaction, Key key, PartitionId partition = kHere) {
  while (!insert(transaction, key, partition)) {
    ASSERT_EQ(transaction.cause(), txn::nam::Abort::kSnapshotTooOld) << key;
  }
}

void expect_all(NamCluster& cluster, Key keys) {
  std::vector<Key> expected = {0, 8, 16, 24, 32};
  for (Key key = 0; key < keys; ++key) expected.push_back(kFirst + key);
  EXPECT_EQ(cluster.keys(), expected);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST(NamExtents, AreTakenOnceForManyRecords) {
  NamCluster cluster({.extent_records = 3});
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
    for (Key key = 0; key < 7; ++key) EXPECT_TRUE(insert(transaction, kFirst + key));
  }});
  EXPECT_EQ(cluster.count(Counter::kAllocations), 3U);
  EXPECT_EQ(cluster.count(Counter::kClaims), 7U);
  expect_all(cluster, 7);
}

// The first one's extent is of as many places as it inserts records in the end.
TEST(NamExtents, KeepThePlaceOfAKeyThatAnotherWasFasterToClaim) {
  NamCluster cluster({.extent_records = 3});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 const auto handle =
                     transaction.want(1, kHere, kFirst, Transaction::Intent::kInsert);
                 EXPECT_TRUE(transaction.fetch());
                 EXPECT_FALSE(transaction.found(handle));
                 steps.reach(1);
                 steps.await(transaction, 2);
                 transaction.create_payload(handle);
                 EXPECT_FALSE(transaction.commit());
                 EXPECT_EQ(transaction.cause(), txn::nam::Abort::kKeyTaken);
                 for (Key key = 1; key <= 3; ++key) EXPECT_TRUE(insert(transaction, kFirst + key));
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 EXPECT_TRUE(insert(transaction, kFirst));
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.count(Counter::kAllocations), 2U);
  expect_all(cluster, 4);
}

// All extents together take a quarter of the places, and who finds none asks for one.
TEST(NamExtents, LeavePlacesForOthers) {
  NamCluster cluster({.extent_records = 1000});
  constexpr Key kMost = NamCluster::kNewKeys - NamCluster::kNewKeys / 8;
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 EXPECT_TRUE(insert(transaction, kFirst));
                 steps.reach(1);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 for (Key key = 1; key <= kMost; ++key) {
                   EXPECT_TRUE(insert(transaction, kFirst + key)) << key;
                 }
               }});
  expect_all(cluster, 1 + kMost);
}

// The first server has two places in each of two partitions, of which one is idle.
TEST(NamExtents, AreGivenBackWhenIdle) {
  constexpr Nanoseconds kIdle = 50 * kMillisecond;
  NamCluster cluster({.longest_transaction = kIdle, .locality = true, .extent_records = 2});
  constexpr PartitionId kOther{2};
  constexpr Key kMost = NamCluster::kNewKeys;
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 insert_in_the_end(transaction, kFirst);
                 transaction.wait(2 * kIdle);
                 insert_in_the_end(transaction, kFirst, kOther);
                 steps.reach(1);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 for (Key key = 1; key < kMost; ++key) {
                   insert_in_the_end(transaction, kFirst + key);
                 }
               }});
  expect_all(cluster, kMost);
}

TEST(NamExtents, AreNotUsedUnlessAskedFor) {
  NamCluster cluster({});
  cluster.run(
      {[&](Transaction& transaction, rdma::Worker&) { EXPECT_TRUE(insert(transaction, kFirst)); }});
  EXPECT_EQ(cluster.count(Counter::kAllocations), 0U);
  expect_all(cluster, 1);
}

}  // namespace
}  // namespace verbena::testing
