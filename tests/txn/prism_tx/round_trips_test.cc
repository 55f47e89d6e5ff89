// Round trips and operations of transactions that nobody is in the way of (PRISM paper, section 8).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/txn/prism_tx/tx_cluster.h"

namespace verbena::testing {
namespace {

using txn::Transaction;
using Intent = Transaction::Intent;
using Settings = TxCluster::Settings;

const Settings kSequential = {};
const Settings kPipelined = {{"tx.prepare", "pipelined"}};
const Settings kMerged = {{"tx.merge_rmw", "true"}};
const Settings kMergedPipelined = {{"tx.merge_rmw", "true"}, {"tx.prepare", "pipelined"}};

// Wants two records of each server in this way.
void run_one(TxCluster& cluster, Intent intent) {
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
    transaction.begin();
    std::vector<Transaction::Handle> handles;
    for (const txn::Key key : {txn::Key{0}, txn::Key{1}}) {
      handles.push_back(transaction.want(word_name(key, txn::PartitionId{0}), intent));
      handles.push_back(transaction.want(word_name(key, txn::PartitionId{1}), intent));
    }
    ASSERT_TRUE(transaction.fetch());
    for (const Transaction::Handle handle : handles) {
      if (intent == Intent::kUpdate) ++word_to_write(transaction, handle);
      if (intent == Intent::kOverwrite) word_to_replace(transaction, handle) = 5;
    }
    EXPECT_TRUE(transaction.commit());
  }});
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
  const std::uint64_t expected = intent == Intent::kUpdate ? 1 : intent == Intent::kRead ? 0 : 5;
  EXPECT_EQ(cluster.word(word_name(1, txn::PartitionId{1})), expected);
}

std::uint64_t round_trips(const Settings& settings, Intent intent) {
  TxCluster cluster(settings);
  run_one(cluster, intent);
  return cluster.counted("round_trips");
}

// It reads, and raises what is prepared for reads.
TEST(TxRoundTrips, OfWhoOnlyReadsAreTwo) {
  for (const Settings& settings : {kSequential, kPipelined, kMerged, kMergedPipelined}) {
    EXPECT_EQ(round_trips(settings, Intent::kRead), 2U);
  }
}

TEST(TxRoundTrips, OfAnUpdateAreFourAndWithOneForAllOfValidationThree) {
  EXPECT_EQ(round_trips(kSequential, Intent::kUpdate), 4U);
  EXPECT_EQ(round_trips(kPipelined, Intent::kUpdate), 3U);
  EXPECT_EQ(round_trips(kMerged, Intent::kUpdate), 3U);
  EXPECT_EQ(round_trips(kMergedPipelined, Intent::kUpdate), 3U);
}

TEST(TxRoundTrips, OfWhoReadsNothingThatHeWritesAreThree) {
  EXPECT_EQ(round_trips(kSequential, Intent::kOverwrite), 3U);
  EXPECT_EQ(round_trips(kPipelined, Intent::kOverwrite), 3U);
}

// Expects these of a transaction that only reads, and of an update.
void expect_round_trips(const std::string& without, std::uint64_t read, std::uint64_t update) {
  const Settings settings = {{"prism.without", without}};
  EXPECT_EQ(round_trips(settings, Intent::kRead), read) << without;
  EXPECT_EQ(round_trips(settings, Intent::kUpdate), update) << without;
}

// Slots are read before their objects, and buffers allocated before slots lead there.
TEST(TxRoundTrips, WithoutChainingAReadIsOneMoreAndAnInstallToo) {
  expect_round_trips("chaining", 3, 6);
}

TEST(TxRoundTrips, WithoutIndirectionAReadIsOneMoreAndAnInstallToo) {
  expect_round_trips("indirection", 3, 6);
}

// Buffers are taken from each of two servers, sixteen at once.
TEST(TxRoundTrips, WithoutAllocationAllAreAsTheyWereOnceThereAreBuffers) {
  expect_round_trips("allocation", 2, 4 + 2);
}

TEST(TxRoundTrips, EachRecordIsReadValidatedAndInstalledOnce) {
  TxCluster cluster;
  run_one(cluster, Intent::kUpdate);
  EXPECT_EQ(cluster.counted("slot_reads"), 4U);
  EXPECT_EQ(cluster.counted("read_validations"), 4U);
  EXPECT_EQ(cluster.counted("write_validations"), 4U);
  EXPECT_EQ(cluster.counted("installs"), 4U);
  EXPECT_EQ(cluster.counted("buffers_back"), 4U);
}

TEST(TxRoundTrips, MergedTheReadAndTheWriteOfARecordAreOneOperation) {
  TxCluster cluster(kMerged);
  run_one(cluster, Intent::kUpdate);
  EXPECT_EQ(cluster.counted("update_validations"), 4U);
  EXPECT_EQ(cluster.counted("read_validations"), 0U);
  EXPECT_EQ(cluster.counted("write_validations"), 0U);
}

TEST(TxRoundTrips, WhoReadsNothingThatHeWritesValidatesNoRead) {
  for (const Settings& settings : {kSequential, kMerged}) {
    TxCluster cluster(settings);
    run_one(cluster, Intent::kOverwrite);
    EXPECT_EQ(cluster.counted("read_validations"), 0U);
    EXPECT_EQ(cluster.counted("write_validations"), 4U);
  }
}

}  // namespace
}  // namespace verbena::testing
