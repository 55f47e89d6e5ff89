// Two transactions that meet, and what they see of each other, by schedule: of one partition and of
// two.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/txn/nam/steps.h"
#include "tests/txn/si2pc/partition_cluster.h"
#include "txn/si2pc/measures.h"

namespace verbena::testing {
namespace {

using txn::Key;
using txn::PartitionId;
using txn::Transaction;
using txn::si2pc::Abort;
using Handle = Transaction::Handle;
using Intent = Transaction::Intent;
using Keys = std::vector<Key>;
using Part = std::function<void(Transaction&)>;

const Keys kLoadedKeys = {0, 8, 16, 24, 32};
constexpr PartitionId kNear{0};
constexpr PartitionId kFar{1};

Handle word_at(Transaction& transaction, PartitionId partition, Key key,
               Intent intent = Intent::kRead) {
  return transaction.want(0, partition, key, intent);
}

// Adds one to words of both partitions.
bool add_to_both(Transaction& transaction, Key key) {
  transaction.begin();
  const Handle near = word_at(transaction, kNear, key, Intent::kUpdate);
  const Handle far = word_at(transaction, kFar, key, Intent::kUpdate);
  if (!transaction.fetch()) {
    transaction.abandon();
    return false;
  }
  ++word_to_write(transaction, near);
  ++word_to_write(transaction, far);
  return transaction.commit();
}

bool insert_key(Transaction& transaction, PartitionId partition, Key key) {
  transaction.begin();
  const Handle handle = transaction.want(1, partition, key, Intent::kInsert);
  EXPECT_TRUE(transaction.fetch());
  transaction.create_payload(handle);
  return transaction.commit();
}

bool erase_key(Transaction& transaction, PartitionId partition, Key key) {
  transaction.begin();
  const Handle handle = transaction.want(1, partition, key, Intent::kUpdate);
  EXPECT_TRUE(transaction.fetch());
  transaction.erase(handle);
  return transaction.commit();
}

Keys keys_of(Transaction& transaction, PartitionId partition, std::uint32_t limit = 8,
             bool descending = false) {
  Keys keys;
  EXPECT_TRUE(transaction.scan({.table = 1,
                                .partition = partition,
                                .first = 0,
                                .last = txn::kNoKey,
                                .descending = descending},
                               limit, keys));
  return keys;
}

// The first transaction, at node 0, has a snapshot; then another one, at node 1, does all that it
// does; then the first goes on.
void with_snapshot(PartitionCluster& cluster, const Part& between, const Part& after) {
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 word_at(transaction, kNear, 9);
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 after(transaction);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 between(transaction);
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST(Si2pcSchedule, ReadsAreOfOneSnapshotInAllPartitions) {
  PartitionCluster cluster({});
  with_snapshot(
      cluster, [](Transaction& other) { EXPECT_TRUE(add_to_both(other, 0)); },
      [](Transaction& transaction) {
        const Handle near = word_at(transaction, kNear, 0);
        const Handle far = word_at(transaction, kFar, 0);
        ASSERT_TRUE(transaction.fetch());
        EXPECT_EQ(word_read(transaction, near), 0U);
        EXPECT_EQ(word_read(transaction, far), 0U);
        EXPECT_TRUE(transaction.commit());
      });
  EXPECT_EQ(cluster.word(kNear, 0), 1U);
  EXPECT_EQ(cluster.word(kFar, 0), 1U);
}

TEST(Si2pcSchedule, OfTwoUpdatesFromOneSnapshotTheSecondAborts) {
  for (const PartitionId partition : {kNear, kFar}) {
    PartitionCluster cluster({});
    Steps steps;
    cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                   transaction.begin();
                   const Handle handle = word_at(transaction, partition, 0);
                   const Handle other = word_at(transaction, kFar, 1);
                   ASSERT_TRUE(transaction.fetch());
                   steps.reach(1);
                   steps.await(transaction, 2);
                   word_to_write(transaction, handle) = 70;
                   word_to_write(transaction, other) = 70;
                   EXPECT_FALSE(transaction.commit());
                   EXPECT_EQ(transaction.cause(), Abort::kStaleSnapshot);
                 },
                 [&](Transaction& transaction, rdma::Worker&) {
                   steps.await(transaction, 1);
                   EXPECT_TRUE(add_to_both(transaction, 0));
                   steps.reach(2);
                 }});
    EXPECT_EQ(cluster.word(partition, 0), 1U);
    EXPECT_EQ(cluster.word(kFar, 1), 0U) << "what it had locked besides is as it was";
    EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
  }
}

TEST(Si2pcSchedule, WhoAnnouncesAnUpdateOfANewerRecordAbortsAtOnce) {
  PartitionCluster cluster({});
  with_snapshot(
      cluster, [](Transaction& other) { EXPECT_TRUE(add_to_both(other, 0)); },
      [](Transaction& transaction) {
        word_at(transaction, kFar, 0, Intent::kUpdate);
        EXPECT_FALSE(transaction.fetch());
        transaction.abandon();
        EXPECT_EQ(transaction.cause(), Abort::kStaleSnapshot);
      });
}

TEST(Si2pcSchedule, WriteSkewIsAllowed) {
  PartitionCluster cluster({});
  Steps steps;
  std::vector<bool> committed(2);
  const auto body = [&](int self, PartitionId reads, PartitionId writes) {
    return [&, self, reads, writes](Transaction& transaction, rdma::Worker&) {
      steps.await(transaction, self - 1);
      transaction.begin();
      const Handle one = word_at(transaction, reads, 0);
      const Handle other = word_at(transaction, writes, 0);
      ASSERT_TRUE(transaction.fetch());
      word_to_write(transaction, other) = word_read(transaction, one) + 1;
      steps.reach(self);
      steps.await(transaction, 2);
      committed[self - 1] = transaction.commit();
    };
  };
  cluster.run({body(1, kNear, kFar), body(2, kFar, kNear)});
  EXPECT_EQ(committed, std::vector<bool>(2, true));
  EXPECT_EQ(cluster.word(kNear, 0), 1U);
  EXPECT_EQ(cluster.word(kFar, 0), 1U);
}

// As many versions as are kept may come; with one more the reader's is gone.
TEST(Si2pcSchedule, OldVersionsAreReadAsLongAsTheyAreKept) {
  for (const std::uint32_t versions : {1U, 3U, 5U}) {
    for (const bool one_more : {false, true}) {
      PartitionCluster cluster({.versions = versions});
      const std::uint32_t commits = versions + (one_more ? 1 : 0);
      with_snapshot(
          cluster,
          [&](Transaction& other) {
            for (std::uint32_t i = 0; i < commits; ++i) EXPECT_TRUE(add_to_both(other, 0));
          },
          [&](Transaction& transaction) {
            const Handle old = word_at(transaction, kFar, 0);
            EXPECT_EQ(transaction.fetch(), !one_more);
            if (one_more) {
              transaction.abandon();
              EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
              return;
            }
            EXPECT_EQ(word_read(transaction, old), 0U) << "as it was when it began";
            EXPECT_TRUE(transaction.commit());
          });
      EXPECT_EQ(cluster.word(kFar, 0), commits);
    }
  }
}

TEST(Si2pcSchedule, KeysThatComeLaterAreInNoEarlierSnapshot) {
  for (const PartitionId partition : {kNear, kFar}) {
    PartitionCluster cluster({});
    with_snapshot(
        cluster,
        [&](Transaction& other) {
          for (const Key key : {3, 40, 41}) EXPECT_TRUE(insert_key(other, partition, key));
        },
        [&](Transaction& transaction) {
          EXPECT_EQ(keys_of(transaction, partition), kLoadedKeys) << "no phantom";
          EXPECT_EQ(keys_of(transaction, partition, 2, true), (Keys{32, 24}));
          const Handle later = transaction.want(1, partition, 3);
          ASSERT_TRUE(transaction.fetch());
          EXPECT_FALSE(transaction.found(later));
          EXPECT_TRUE(transaction.commit());
        });
    EXPECT_EQ(cluster.keys(partition), (Keys{0, 3, 8, 16, 24, 32, 40, 41}));
    EXPECT_EQ(cluster.count_keys(partition), 8U);
  }
}

TEST(Si2pcSchedule, KeysThatAreErasedLaterAreInEarlierSnapshots) {
  PartitionCluster cluster({});
  with_snapshot(
      cluster,
      [&](Transaction& other) {
        EXPECT_TRUE(erase_key(other, kFar, 0));
        EXPECT_TRUE(erase_key(other, kFar, 16));
      },
      [&](Transaction& transaction) {
        EXPECT_EQ(keys_of(transaction, kFar), kLoadedKeys);
        const Handle erased = transaction.want(1, kFar, 16);
        ASSERT_TRUE(transaction.fetch());
        EXPECT_TRUE(transaction.found(erased));
        EXPECT_TRUE(transaction.commit());
      });
  EXPECT_EQ(cluster.keys(kFar), (Keys{8, 24, 32}));
  EXPECT_EQ(cluster.count_keys(kFar), 3U);
}

// Others have had them set aside meanwhile.
TEST(Si2pcSchedule, KeysThatWereErasedAWhileAgoAreInEarlierSnapshots) {
  PartitionCluster cluster({});
  with_snapshot(
      cluster,
      [&](Transaction& other) {
        EXPECT_TRUE(erase_key(other, kFar, 16));
        EXPECT_TRUE(erase_key(other, kFar, 32));
        for (int i = 0; i < 4; ++i) {
          other.wait(2 * kMillisecond);
          other.begin();
          EXPECT_EQ(keys_of(other, kFar), (Keys{0, 8, 24}));
          EXPECT_TRUE(other.commit());
        }
        EXPECT_TRUE(insert_key(other, kFar, 32));
        other.begin();
        EXPECT_EQ(keys_of(other, kFar), (Keys{0, 8, 24, 32})) << "came again";
        EXPECT_TRUE(other.commit());
      },
      [&](Transaction& transaction) {
        EXPECT_EQ(keys_of(transaction, kFar), kLoadedKeys);
        EXPECT_EQ(keys_of(transaction, kFar, 2, true), (Keys{32, 24}));
        EXPECT_TRUE(transaction.commit());
      });
  EXPECT_EQ(cluster.keys(kFar), (Keys{0, 8, 24, 32}));
  EXPECT_EQ(cluster.count_keys(kFar), 4U);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// Long before they are in no snapshot: so scans do not take the longer the more was erased.
TEST(Si2pcSchedule, KeysThatWereErasedAWhileAgoAreInNobodysWay) {
  if (on_hardware()) GTEST_SKIP() << "how long a scan takes is chance there";
  PartitionCluster cluster({});
  cluster.run({[&](Transaction& transaction, rdma::Worker& worker) {
    for (Key key = 100; key < 125; ++key) EXPECT_TRUE(insert_key(transaction, kFar, key));
    for (Key key = 100; key < 125; ++key) EXPECT_TRUE(erase_key(transaction, kFar, key));
    const auto time_of_scan = [&] {
      transaction.wait(2 * kMillisecond);
      transaction.begin();
      const Nanoseconds began = worker.now();
      EXPECT_EQ(keys_of(transaction, kFar), kLoadedKeys);
      const Nanoseconds time = worker.now() - began;
      EXPECT_TRUE(transaction.commit());
      return time;
    };
    const Nanoseconds with_erased = time_of_scan();
    for (int i = 0; i < 3; ++i) time_of_scan();
    EXPECT_LT(time_of_scan() + 2 * kMicrosecond, with_erased);
  }});
}

TEST(Si2pcSchedule, OfTwoInsertsOfOneKeyTheSecondAborts) {
  PartitionCluster cluster({});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 const Handle handle = transaction.want(1, kFar, 3, Intent::kInsert);
                 ASSERT_TRUE(transaction.fetch());
                 EXPECT_FALSE(transaction.found(handle));
                 transaction.create_payload(handle);
                 steps.reach(1);
                 steps.await(transaction, 2);
                 EXPECT_FALSE(transaction.commit());
                 EXPECT_EQ(transaction.cause(), Abort::kStaleSnapshot);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 EXPECT_TRUE(insert_key(transaction, kFar, 3));
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.keys(kFar), (Keys{0, 3, 8, 16, 24, 32}));
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// There is room for 30 keys besides the loaded ones, and more come and go one after the other.
TEST(Si2pcSchedule, EntriesOfErasedKeysAreUsedAgainWhenNoSnapshotCanHoldThem) {
  if (on_hardware()) GTEST_SKIP() << "how long transactions take is chance there";
  constexpr Nanoseconds kLongest = 200 * kMicrosecond;
  PartitionCluster cluster({.longest_transaction = kLongest});
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
    for (Key key = 100; key < 200; ++key) {
      EXPECT_TRUE(insert_key(transaction, kFar, key));
      EXPECT_TRUE(erase_key(transaction, kFar, key));
      transaction.wait(kLongest / 4);
      transaction.begin();
      EXPECT_EQ(keys_of(transaction, kFar), kLoadedKeys);
      EXPECT_TRUE(transaction.commit());
    }
  }});
  EXPECT_EQ(cluster.keys(kFar), kLoadedKeys);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST(Si2pcSchedule, WhoGoesByAnOldSnapshotAborts) {
  if (on_hardware()) GTEST_SKIP() << "how long transactions take is chance there";
  PartitionCluster cluster({.longest_transaction = 200 * kMicrosecond});
  with_snapshot(
      cluster, [](Transaction& other) { other.wait(300 * kMicrosecond); },
      [](Transaction& transaction) {
        word_at(transaction, kFar, 0);
        EXPECT_FALSE(transaction.fetch());
        transaction.abandon();
        EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
      });
}

// One at a time commits of the transactions that meet at records, and none is lost.
TEST(Si2pcSchedule, CountsEachCommitOnce) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 2U); ++seed) {
    PartitionCluster cluster({.seed = seed, .chaos = !on_hardware()});
    std::atomic<std::uint64_t> commits = 0;
    const auto body = [&](Transaction& transaction, rdma::Worker& worker) {
      for (int i = 0; i < 20; ++i) {
        if (add_to_both(transaction, 0)) {
          ++commits;
        } else {
          transaction.wait((1 + worker.node()) * 5 * kMicrosecond);
        }
      }
    };
    cluster.run({body, body, body, body});
    EXPECT_GT(commits, 0U) << "seed " << seed;
    EXPECT_EQ(cluster.word(kNear, 0), commits) << "seed " << seed;
    EXPECT_EQ(cluster.word(kFar, 0), commits) << "seed " << seed;
    EXPECT_EQ(cluster.errors(), std::vector<std::string>{}) << "seed " << seed;
  }
}

}  // namespace
}  // namespace verbena::testing
