// Tables that are altered while transactions go on: their hash buckets become more, elsewhere.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/test_fabric.h"
#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/steps.h"
#include "txn/nam/measures.h"

namespace verbena::testing {
namespace {

using txn::Key;
using txn::Transaction;
using txn::nam::Counter;

constexpr Key kFirst = 100;
constexpr Key kKeys = NamCluster::kNewKeys;
constexpr txn::PartitionId kHere{0};
constexpr std::uint32_t kAtOnce = 6;  // what a transaction of the test may have

void insert(Transaction& transaction, Key key) {
  transaction.begin();
  const auto handle = transaction.want(1, kHere, key, Transaction::Intent::kInsert);
  ASSERT_TRUE(transaction.fetch());
  ASSERT_FALSE(transaction.found(handle)) << key;
  transaction.create_payload(handle);
  word_of(transaction, handle) = key;
  ASSERT_TRUE(transaction.commit());
}

/// Inserts all keys, one after the other; the table may grow meanwhile.
void insert_all(Transaction& transaction) {
  for (Key key = 0; key < kKeys; ++key) {
    insert(transaction, kFirst + key);
    transaction.wait(5 * kMicrosecond);
  }
  transaction.wait(500 * kMicrosecond);
}

/// How many of all keys are there in one snapshot of the transaction, which has begun.
std::uint64_t found(Transaction& transaction, Key from, Key until) {
  std::vector<Transaction::Handle> handles;
  for (Key key = from; key < until; ++key) {
    handles.push_back(transaction.want(1, kHere, kFirst + key, Transaction::Intent::kRead));
  }
  EXPECT_TRUE(transaction.fetch());
  std::uint64_t count = 0;
  for (const auto handle : handles) count += transaction.found(handle) ? 1 : 0;
  return count;
}

std::uint64_t found_now(Transaction& transaction) {
  std::uint64_t count = 0;
  for (Key key = 0; key < kKeys; key += kAtOnce) {
    transaction.begin();
    count += found(transaction, key, key + kAtOnce);
    EXPECT_TRUE(transaction.commit());
  }
  return count;
}

struct Case {
  bool locality;
  bool chaos;
};

class NamCatalog : public ::testing::TestWithParam<Case> {
 protected:
  NamCluster::Options options(std::uint32_t first_buckets) const {
    return {
        .chaos = GetParam().chaos, .locality = GetParam().locality, .first_buckets = first_buckets};
  }
};

INSTANTIATE_TEST_SUITE_P(Locality, NamCatalog,
                         ::testing::Values(Case{false, false}, Case{true, false}, Case{false, true},
                                           Case{true, true}));

// The second server remembers the table as it was before it grew.
TEST_P(NamCatalog, TellsWhereATableIsThatWasAltered) {
  NamCluster cluster(options(1));
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 insert_all(transaction);
                 EXPECT_EQ(found_now(transaction), kKeys);
                 steps.reach(2);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 EXPECT_EQ(found_now(transaction), 0U);
                 steps.reach(1);
                 steps.await(transaction, 2);
                 EXPECT_EQ(found_now(transaction), kKeys);
               }});
  // Both asked once at first, and then as the table grew: from 1 bucket to 4, and to 8.
  EXPECT_GE(cluster.count(Counter::kCatalogCalls), 3U);
  EXPECT_EQ(cluster.keys().size(), 5 + kKeys);
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// A snapshot of before the table grew has what was there then, and nothing that came later.
TEST_P(NamCatalog, ChangesNothingOfEarlierSnapshots) {
  NamCluster cluster(options(1));
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 insert(transaction, kFirst);
                 steps.reach(1);
                 steps.await(transaction, 2);
                 for (Key key = 1; key < kKeys; ++key) insert(transaction, kFirst + key);
                 transaction.wait(500 * kMicrosecond);
                 steps.reach(3);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 transaction.wait(50 * kMicrosecond);
                 transaction.begin();
                 EXPECT_EQ(found(transaction, 0, 1), 1U);
                 steps.reach(2);
                 steps.await(transaction, 3);
                 EXPECT_EQ(found(transaction, 1, kAtOnce), 0U);
                 EXPECT_TRUE(transaction.commit());
                 EXPECT_EQ(found_now(transaction), kKeys);
               }});
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// All buckets are READ once: none is linked to others when the table has grown.
TEST(NamCatalogOf, TablesThatGrowSavesReads) {
  const auto reads = [](std::uint32_t first_buckets, std::uint32_t percent) {
    NamCluster cluster({.bucket_slots_percent = percent, .first_buckets = first_buckets});
    cluster.run({[](Transaction& transaction, rdma::Worker&) {
      insert_all(transaction);
      EXPECT_EQ(found_now(transaction), kKeys);
    }});
    return cluster.count(Counter::kBucketReads);
  };
  const std::uint64_t one_bucket = reads(0, 1);
  const std::uint64_t grown = reads(1, 150);
  EXPECT_LT(2 * grown, 3 * reads(0, 150));
  EXPECT_LT(grown, one_bucket);
}

// The buckets that an attempt goes by, since it has looked at the catalog before, keep a key for
// ever that has gone; so it has to look again, and not only when its snapshot is too old.
TEST(NamCatalogOf, TablesThatGrowTellsOfKeysThatHaveGone) {
  constexpr Nanoseconds kLongest = 500 * kMillisecond;
  NamCluster cluster({.longest_transaction = kLongest, .first_buckets = 1});
  Steps steps;
  const auto insert_some = [](Transaction& transaction, Key from, Key until) {
    for (Key key = from; key < until; ++key) insert(transaction, kFirst + key);
  };
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 insert_some(transaction, 0, 6);
                 transaction.begin();
                 const auto gone = transaction.want(1, kHere, kFirst, Transaction::Intent::kUpdate);
                 ASSERT_TRUE(transaction.fetch());
                 transaction.erase(gone);
                 ASSERT_TRUE(transaction.commit());
                 transaction.wait(2 * kLongest);
                 steps.reach(1);
                 steps.await(transaction, 2);
                 insert_some(transaction, 6, 9);
                 transaction.wait(500 * kMicrosecond);
                 transaction.begin();
                 std::vector<Key> keys;
                 EXPECT_TRUE(transaction.scan({.table = 1,
                                               .partition = kHere,
                                               .first = kFirst,
                                               .last = kFirst + 3,
                                               .descending = false},
                                              3, keys));
                 EXPECT_TRUE(transaction.commit());
                 transaction.wait(3 * kMillisecond);
                 steps.reach(3);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 transaction.begin();
                 EXPECT_EQ(found(transaction, 1, 2), 1U);
                 steps.reach(2);
                 steps.await(transaction, 3);
                 EXPECT_EQ(found(transaction, 0, 1), 0U);
                 EXPECT_TRUE(transaction.commit());
               }});
  // On hardware the server may take long between giving the entry up and clearing its bucket.
  if (!on_hardware()) {
    EXPECT_LT(cluster.count(Counter::kBucketReads), 40U) << "not again and again";
  }
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST(NamCatalogOf, TablesThatDoNotGrowIsNotAsked) {
  NamCluster cluster({});
  cluster.run({[](Transaction& transaction, rdma::Worker&) { insert_all(transaction); }});
  EXPECT_EQ(cluster.count(Counter::kCatalogCalls), 0U);
}

}  // namespace
}  // namespace verbena::testing
