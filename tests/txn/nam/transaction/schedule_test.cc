// Two transactions that meet, and what they see of each other: snapshot isolation's anomalies, by
// schedule.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/steps.h"
#include "txn/nam/measures.h"

namespace verbena::testing {
namespace {

using txn::Transaction;
using txn::nam::Abort;
using txn::nam::Time;

Transaction::Handle want(Transaction& transaction, txn::Key key,
                         Transaction::Intent intent = Transaction::Intent::kRead) {
  return transaction.want(0, static_cast<txn::PartitionId>(0), key, intent);
}

bool increment(Transaction& transaction, txn::Key key) {
  transaction.begin();
  const auto handle = want(transaction, key, Transaction::Intent::kUpdate);
  if (!transaction.fetch()) {
    transaction.abandon();
    return false;
  }
  ++word_of(transaction, handle);
  return transaction.commit();
}

// Parameter: true if the first of two transactions accesses records by the CPU of its machine.
class NamSchedule : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Locality, NamSchedule, ::testing::Bool());

TEST_P(NamSchedule, WriteSkewIsAllowed) {
  NamCluster cluster({.locality = GetParam()});
  Steps steps;
  std::vector<bool> committed(2);
  const auto body = [&](int self, txn::Key read, txn::Key written) {
    return [&, self, read, written](Transaction& transaction, rdma::Worker&) {
      transaction.begin();
      const auto one = want(transaction, read);
      const auto other = want(transaction, written);
      ASSERT_TRUE(transaction.fetch());
      word_of(transaction, other) = read_word(transaction, one) + 1;
      steps.reach(self);
      steps.await(transaction, 2);
      committed[self - 1] = transaction.commit();
    };
  };
  cluster.run({body(1, 0, 1), [&](Transaction& transaction, rdma::Worker& worker) {
                 steps.await(transaction, 1);
                 body(2, 1, 0)(transaction, worker);
               }});
  EXPECT_EQ(committed, std::vector<bool>(2, true));
  EXPECT_EQ(cluster.word(0), 1U);
  EXPECT_EQ(cluster.word(1), 1U);
}

// The attempt that is rolled back counts too.
TEST_P(NamSchedule, TheAgeOfEachSnapshotIsTaken) {
  NamCluster cluster({.locality = GetParam()});
  Nanoseconds began = 0;
  Nanoseconds read = 0;
  cluster.run({[&](Transaction& transaction, rdma::Worker& worker) {
    began = worker.now();
    EXPECT_TRUE(increment(transaction, 0));
    transaction.begin();
    want(transaction, 1);
    ASSERT_TRUE(transaction.fetch());
    read = worker.now();
    transaction.roll_back();
  }});
  const Histogram& ages = cluster.metrics().times.at(static_cast<std::size_t>(Time::kSnapshotAge));
  EXPECT_EQ(ages.count(), 2U);
  EXPECT_GT(ages.mean(), 0);
  EXPECT_LT(2 * ages.mean(), static_cast<double>((read - began).count()))
      << "records are read after that";
}

TEST_P(NamSchedule, OfTwoUpdatesFromOneSnapshotTheSecondAborts) {
  NamCluster cluster({.locality = GetParam()});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 const auto handle = want(transaction, 0);
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 word_of(transaction, handle) = 70;
                 EXPECT_FALSE(transaction.commit());
                 EXPECT_EQ(transaction.cause(), Abort::kStaleSnapshot);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 EXPECT_TRUE(increment(transaction, 0));
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.word(0), 1U);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST_P(NamSchedule, WhoAnnouncesAnUpdateOfANewerRecordAbortsAtOnce) {
  NamCluster cluster({.locality = GetParam()});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 want(transaction, 1);
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 want(transaction, 0, Transaction::Intent::kUpdate);
                 EXPECT_FALSE(transaction.fetch());
                 transaction.abandon();
                 EXPECT_EQ(transaction.cause(), Abort::kStaleSnapshot);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 EXPECT_TRUE(increment(transaction, 0));
                 steps.reach(2);
               }});
}

// How many are kept, and whether by locality.
class OldVersions : public ::testing::TestWithParam<std::tuple<std::uint32_t, bool>> {};

INSTANTIATE_TEST_SUITE_P(Kept, OldVersions,
                         ::testing::Combine(::testing::Values(1U, 3U, 5U), ::testing::Bool()));

// As many versions as are kept may come; with one more the reader's is gone.
TEST_P(OldVersions, AreReadBySnapshotsThatHoldThem) {
  const auto [versions, locality] = GetParam();
  for (const bool one_more : {false, true}) {
    NamCluster cluster({.versions = versions, .locality = locality});
    Steps steps;
    const std::uint32_t commits = versions + (one_more ? 1 : 0);
    cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                   transaction.begin();
                   const auto before = want(transaction, 1);
                   ASSERT_TRUE(transaction.fetch());
                   steps.reach(1);
                   steps.await(transaction, 2);
                   const auto old = want(transaction, 0);
                   if (one_more) {
                     EXPECT_FALSE(transaction.fetch());
                     transaction.abandon();
                     EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
                     return;
                   }
                   ASSERT_TRUE(transaction.fetch());
                   EXPECT_EQ(read_word(transaction, before), 0U);
                   EXPECT_EQ(read_word(transaction, old), 0U) << "as it was when it began";
                   EXPECT_TRUE(transaction.commit());
                 },
                 [&](Transaction& transaction, rdma::Worker&) {
                   steps.await(transaction, 1);
                   for (std::uint32_t i = 0; i < commits; ++i) {
                     EXPECT_TRUE(increment(transaction, 0));
                   }
                   steps.reach(2);
                 }});
    EXPECT_EQ(cluster.word(0), commits);
    EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
  }
}

// An abort after some locks gives back exactly these.
TEST_P(NamSchedule, AnAbortLeavesNoLock) {
  NamCluster cluster({.locality = GetParam()});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 std::vector<Transaction::Handle> handles;
                 for (txn::Key key = 0; key < 4; ++key) handles.push_back(want(transaction, key));
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 for (const auto handle : handles) word_of(transaction, handle) = 70;
                 EXPECT_FALSE(transaction.commit());
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 EXPECT_TRUE(increment(transaction, 2));
                 steps.reach(2);
               }});
  for (const txn::Key key : {0, 1, 3}) EXPECT_EQ(cluster.word(key), 0U) << key;
  EXPECT_EQ(cluster.word(2), 1U);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// One at a time commits of the transactions that meet at a record, and none is lost.
TEST_P(NamSchedule, CountsEachCommitOnce) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 2U); ++seed) {
    NamCluster cluster({.seed = seed, .chaos = !on_hardware(), .locality = GetParam()});
    std::atomic<std::uint64_t> commits = 0;
    const auto body = [&](Transaction& transaction, rdma::Worker& worker) {
      for (int i = 0; i < 20; ++i) {
        if (increment(transaction, 0)) {
          ++commits;
        } else {
          transaction.wait((1 + worker.node()) * 5 * kMicrosecond);
        }
      }
    };
    cluster.run({body, body, body, body});
    EXPECT_EQ(cluster.word(0), commits) << "seed " << seed;
    EXPECT_EQ(cluster.errors(), std::vector<std::string>{}) << "seed " << seed;
  }
}

}  // namespace
}  // namespace verbena::testing
