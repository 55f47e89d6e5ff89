// Versions that are older than the K in their places.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/steps.h"
#include "txn/nam/measures.h"

namespace verbena::testing {
namespace {

using txn::Key;
using txn::Transaction;
using txn::nam::Abort;
using txn::nam::Counter;
using Intent = Transaction::Intent;

constexpr std::uint32_t kRoomForAll = 1000;  // KiB
const auto kPartition = static_cast<txn::PartitionId>(0);

// Room for three versions of a record of 200 B.
constexpr std::uint32_t kRoomForThree = 1;

/// Why it did not commit, if it did not.
std::optional<txn::AbortCause> increment(Transaction& transaction, Key key) {
  transaction.begin();
  const auto handle = transaction.want(0, kPartition, key, Intent::kUpdate);
  if (transaction.fetch()) {
    ++word_of(transaction, handle);
    if (transaction.commit()) return std::nullopt;
  } else {
    transaction.abandon();
  }
  return transaction.cause();
}

void increment_often(Transaction& transaction, Key key, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times;) {
    if (!increment(transaction, key)) ++i;
  }
}

/// In one transaction; whether it committed.
bool change_key(Transaction& transaction, Key key, Intent intent) {
  transaction.begin();
  const auto handle = transaction.want(1, kPartition, key, intent);
  if (!transaction.fetch()) {
    transaction.abandon();
    return false;
  }
  if (intent == Intent::kInsert) {
    transaction.create_payload(handle);
  } else {
    transaction.erase(handle);
  }
  return transaction.commit();
}

// Old versions that have places, and whether the reader's and the memory server's CPU are one.
class NamOverflow : public ::testing::TestWithParam<std::tuple<std::uint32_t, bool>> {
 protected:
  static NamCluster::Options options(std::uint32_t overflow_kib) {
    return {.versions = std::get<0>(GetParam()),
            .longest_transaction = by_fabric(kSecond, 60 * kSecond),
            .locality = std::get<1>(GetParam()),
            .overflow_kib = overflow_kib};
  }
};

using Versions = std::vector<std::uint32_t>;
INSTANTIATE_TEST_SUITE_P(VersionsAndLocality, NamOverflow,
                         ::testing::Combine(::testing::ValuesIn(by_fabric(Versions{1, 2, 3, 5},
                                                                          Versions{1, 3})),
                                            ::testing::Bool()));

TEST_P(NamOverflow, KeepsWhatASnapshotHoldsHoweverOftenItIsReplaced) {
  for (const std::uint32_t installs : {1U, 2U, 4U, by_fabric(100U, 20U)}) {
    NamCluster cluster(options(kRoomForAll));
    Steps steps;
    std::uint64_t word = 99;
    cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                   increment_often(transaction, 0, 1);
                   transaction.begin();
                   transaction.want(0, kPartition, 1);
                   ASSERT_TRUE(transaction.fetch());
                   steps.reach(1);
                   steps.await(transaction, 2);
                   const auto handle = transaction.want(0, kPartition, 0);
                   ASSERT_TRUE(transaction.fetch()) << installs;
                   word = read_word(transaction, handle);
                   EXPECT_TRUE(transaction.commit());
                 },
                 [&](Transaction& transaction, rdma::Worker&) {
                   steps.await(transaction, 1);
                   increment_often(transaction, 0, installs);
                   steps.reach(2);
                 }});
    EXPECT_EQ(word, 1U) << installs;
    EXPECT_EQ(cluster.word(0), 1U + installs);
    EXPECT_EQ(cluster.count(Counter::kOverflowReads) > 0, installs > std::get<0>(GetParam()));
    EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
  }
}

TEST_P(NamOverflow, WithoutItSuchATransactionAborts) {
  NamCluster cluster(options(0));
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 transaction.want(0, kPartition, 1);
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 transaction.want(0, kPartition, 0);
                 EXPECT_FALSE(transaction.fetch());
                 EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
                 transaction.abandon();
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 increment_often(transaction, 0, std::get<0>(GetParam()) + 1);
                 steps.reach(2);
               }});
}

// Its entry keeps the versions of each time that the key was there, and of each that it was not.
TEST_P(NamOverflow, KeepsThatARecordWasNotThere) {
  constexpr Key kNew = 5;
  NamCluster cluster(options(kRoomForAll));
  Steps steps;
  std::vector<Key> there = {99};
  cluster.run(
      {[&](Transaction& transaction, rdma::Worker&) {
         ASSERT_TRUE(change_key(transaction, kNew, Intent::kInsert));
         ASSERT_TRUE(change_key(transaction, kNew, Intent::kUpdate));
         transaction.begin();
         transaction.want(0, kPartition, 1);
         ASSERT_TRUE(transaction.fetch());
         steps.reach(1);
         steps.await(transaction, 2);
         const auto handle = transaction.want(1, kPartition, kNew);
         ASSERT_TRUE(transaction.fetch());
         EXPECT_FALSE(transaction.found(handle));
         const txn::KeyRange all{
             .table = 1, .partition = kPartition, .first = 0, .last = 16, .descending = false};
         ASSERT_TRUE(transaction.scan(all, 8, there));
         EXPECT_TRUE(transaction.commit());
       },
       [&](Transaction& transaction, rdma::Worker&) {
         steps.await(transaction, 1);
         for (int round = 0; round < 4; ++round) {
           EXPECT_TRUE(change_key(transaction, kNew, Intent::kInsert));
           EXPECT_TRUE(change_key(transaction, kNew, Intent::kUpdate));
           EXPECT_TRUE(change_key(transaction, 8, Intent::kUpdate));
           EXPECT_TRUE(change_key(transaction, 8, Intent::kInsert));
         }
         EXPECT_TRUE(change_key(transaction, kNew, Intent::kInsert));
         EXPECT_TRUE(change_key(transaction, 8, Intent::kUpdate));
         steps.reach(2);
       }});
  EXPECT_EQ(there, (std::vector<Key>{0, 8, 16}));
  EXPECT_EQ(cluster.keys(), (std::vector<Key>{0, kNew, 16, 24, 32}));
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// The reader finds that it is too old before it can find another's version. Whether the mover or
// the writer's call moves a version first makes no difference to how many there is room for.
void expect_room_for_what_is_needed(NamCluster::Options asked) {
  const Nanoseconds longest = by_fabric(kMillisecond, 100 * kMillisecond);
  asked.longest_transaction = longest;
  NamCluster cluster(asked);
  Steps steps;
  const std::uint32_t kept = asked.versions + 3;
  std::uint32_t more = 1;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 transaction.want(0, kPartition, 1);
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 transaction.want(0, kPartition, 0);
                 EXPECT_FALSE(transaction.fetch());
                 EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
                 transaction.abandon();
               },
               [&](Transaction& transaction, rdma::Worker& worker) {
                 steps.await(transaction, 1);
                 const Nanoseconds began = worker.now();
                 for (std::uint32_t i = 0; i < kept; ++i) {
                   EXPECT_EQ(increment(transaction, 0), std::nullopt) << i;
                 }
                 const auto one_more = increment(transaction, 0);
                 if (!one_more) ++more;
                 if (worker.now() - began < longest) {
                   EXPECT_EQ(one_more, Abort::kOverflowFull);
                 }
                 transaction.wait(2 * longest);
                 EXPECT_EQ(increment(transaction, 0), std::nullopt);
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.word(0), kept + more);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST_P(NamOverflow, WhatIsTooOldForAllMakesRoom) {
  NamCluster::Options asked = options(kRoomForThree);
  for (asked.seed = 1; asked.seed <= by_fabric(40U, 2U); ++asked.seed) {
    SCOPED_TRACE(asked.seed);
    asked.chaos = asked.seed > 1;
    expect_room_for_what_is_needed(asked);
  }
}

// Others use all the room that there comes to be.
TEST_P(NamOverflow, NobodyIsKeptFromWritingForLongerThanATransactionMayLast) {
  NamCluster::Options asked = options(kRoomForThree);
  const Nanoseconds longest = by_fabric(kMillisecond, 100 * kMillisecond);
  asked.longest_transaction = longest;
  NamCluster cluster(asked);
  Nanoseconds waited = 0 * kSecond;
  std::atomic<bool> done = false;
  const auto retry = [&](Transaction& transaction, Key key) {
    while (increment(transaction, key)) transaction.wait(longest / 64);
  };
  cluster.run({[&](Transaction& transaction, rdma::Worker& worker) {
                 for (std::uint32_t i = 0; i < 4 * asked.versions + 12; ++i) {
                   const Nanoseconds began = worker.now();
                   retry(transaction, 0);
                   waited = std::max(waited, worker.now() - began);
                 }
                 done = true;
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 while (!done) {
                   if (increment(transaction, 1)) transaction.wait(longest / 500);
                 }
               }});
  EXPECT_EQ(cluster.word(0), 4 * asked.versions + 12);
  EXPECT_GT(waited, 0 * kSecond);
  EXPECT_LT(waited, by_fabric(2U, 10U) * longest);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// The mover has moved by then what the next writer would have waited for.
TEST_P(NamOverflow, WhoTakesHisTimeNeedNotWaitForAMove) {
  NamCluster cluster(options(kRoomForAll));
  const std::uint32_t times = 3 * std::get<0>(GetParam());
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
    for (std::uint32_t i = 0; i < times; ++i) {
      EXPECT_EQ(increment(transaction, 0), std::nullopt);
      transaction.wait(by_fabric(50 * kMicrosecond, 20 * kMillisecond));
    }
  }});
  // A virtual machine may stand still for longer than he waits.
  EXPECT_LE(cluster.count(Counter::kMovesAwaited), on_hardware() ? times / 3 : 0U);
  EXPECT_EQ(cluster.word(0), times);
}

}  // namespace
}  // namespace verbena::testing
