// Numbers that are drawn from records: each once, whatever becomes of transactions; and why no
// transaction may write such a record.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/steps.h"

namespace verbena::testing {
namespace {

using txn::Transaction;

constexpr txn::TableId kWords = 0;
constexpr txn::TableId kNumbers = 2;
constexpr txn::PartitionId kPartition{};

// Parameter: true if the first of two transactions accesses records by the CPU of its machine.
class NamDraw : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Locality, NamDraw, ::testing::Bool());

TEST_P(NamDraw, GivesEachNumberOnce) {
  constexpr std::uint64_t kEach = 25;
  NamCluster cluster({.chaos = !on_hardware(), .locality = GetParam()});
  std::vector<std::vector<std::uint64_t>> drawn(4);
  std::vector<NamCluster::Body> bodies;
  bodies.reserve(drawn.size());
  for (auto& own : drawn) {
    bodies.emplace_back([&own](Transaction& transaction, rdma::Worker&) {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        own.push_back(transaction.draw(kNumbers, kPartition, 1));
      }
    });
  }
  cluster.run(bodies);
  std::vector<std::uint64_t> all;
  for (const auto& own : drawn) {
    EXPECT_TRUE(std::ranges::is_sorted(own));
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all);
  for (std::uint64_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  EXPECT_EQ(cluster.number(1), 4 * kEach);
  EXPECT_EQ(cluster.number(0), 0U);
  EXPECT_TRUE(cluster.errors().empty());
}

// Nor does it wait for them to commit.
TEST_P(NamDraw, IsNoPartOfTransactions) {
  NamCluster cluster({.locality = GetParam()});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 const auto word = transaction.want(kWords, kPartition, 0);
                 ASSERT_TRUE(transaction.fetch());
                 steps.reach(1);
                 steps.await(transaction, 2);
                 // Numbers that were drawn since the snapshot are counted there.
                 const auto number = transaction.want(kNumbers, kPartition, 0);
                 ASSERT_TRUE(transaction.fetch());
                 EXPECT_EQ(read_word(transaction, number), 1U);
                 EXPECT_EQ(transaction.draw(kNumbers, kPartition, 0), 1U);
                 ++word_of(transaction, word);
                 EXPECT_TRUE(transaction.commit());
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 transaction.begin();
                 EXPECT_EQ(transaction.draw(kNumbers, kPartition, 0), 0U);
                 EXPECT_TRUE(transaction.roll_back());
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.number(0), 2U);
}

TEST_P(NamDraw, IsRefusedWhereTransactionsWrite) {
  NamCluster cluster({.locality = GetParam()});
  cluster.run({[](Transaction& transaction, rdma::Worker&) {
    transaction.begin();
    EXPECT_THROW(transaction.draw(kWords, kPartition, 0), std::logic_error);
    EXPECT_THROW(transaction.draw(kNumbers, kPartition, 2), std::logic_error) << "there is none";
    EXPECT_TRUE(transaction.roll_back());
  }});
}

TEST_P(NamDraw, TransactionsAreRefusedToWriteWhatNumbersAreDrawnFrom) {
  NamCluster cluster({.locality = GetParam()});
  cluster.run({[](Transaction& transaction, rdma::Worker&) {
    transaction.begin();
    const auto number = transaction.want(kNumbers, kPartition, 0);
    ASSERT_TRUE(transaction.fetch());
    ++word_of(transaction, number);
    EXPECT_THROW(transaction.commit(), std::logic_error);
  }});
  EXPECT_EQ(cluster.number(0), 0U);
}

// The reason for both of these refusals: between a transaction's READ of a record and its WRITE of
// the next version somebody counts in the old one.
TEST_P(NamDraw, WhatIsAddedToARecordThatATransactionWritesIsLost) {
  NamCluster cluster({.locality = GetParam()});
  std::uint64_t before = 1;
  cluster.run({[&](Transaction& transaction, rdma::Worker& worker) {
    transaction.begin();
    const auto word = transaction.want(kWords, kPartition, 0, Transaction::Intent::kUpdate);
    ASSERT_TRUE(transaction.fetch());
    rdma::RequestBatch batch(worker.connections());
    batch.fetch_and_add(cluster.first_word(), 1, &before);
    batch.post();
    batch.wait();
    // Another field, as a payment changes of a district.
    transaction.update_payload(word)[8] = std::byte{1};
    EXPECT_TRUE(transaction.commit()) << "the record's version tells nothing of it";
  }});
  EXPECT_EQ(before, 0U);
  EXPECT_EQ(cluster.word(0), 0U);
}

}  // namespace
}  // namespace verbena::testing
