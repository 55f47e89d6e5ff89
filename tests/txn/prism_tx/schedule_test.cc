// Transactions that meet, by schedule: the others are what a test writes to
// slots, or run in between.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/txn/nam/steps.h"
#include "tests/txn/prism_tx/tx_cluster.h"
#include "txn/prism_tx/attempt/measures.h"
#include "txn/prism_tx/records/slot.h"

namespace verbena::testing {
namespace {

using txn::Key;
using txn::PartitionId;
using txn::RecordName;
using txn::Transaction;
using txn::prism_tx::Abort;
using txn::prism_tx::kLoadedAt;
using txn::prism_tx::Slot;
using txn::prism_tx::Timestamp;
using txn::prism_tx::timestamp_of;
using Handle = Transaction::Handle;
using Intent = Transaction::Intent;
using Errors = std::vector<std::string>;

/// Before all that a run's clients take, and after.
constexpr Timestamp kEarlier = timestamp_of(1, 900);
constexpr Timestamp kLater = timestamp_of(std::uint64_t{1} << 40, 900);

constexpr RecordName key_name(Key key) { return {.table = 1, .partition = 0, .key = key}; }

bool read_only(Transaction& transaction, const RecordName& name) {
  transaction.begin();
  transaction.want(name, Intent::kRead);
  EXPECT_TRUE(transaction.fetch());
  return transaction.commit();
}

bool add_one(Transaction& transaction, const RecordName& name) {
  transaction.begin();
  const Handle handle = transaction.want(name, Intent::kUpdate);
  EXPECT_TRUE(transaction.fetch());
  ++word_to_write(transaction, handle);
  return transaction.commit();
}

// Without reading them.
bool replace(Transaction& transaction, const std::vector<RecordName>& names) {
  transaction.begin();
  std::vector<Handle> handles;
  handles.reserve(names.size());
  for (const RecordName& name : names) {
    handles.push_back(transaction.want(name, Intent::kOverwrite));
  }
  EXPECT_TRUE(transaction.fetch());
  for (const Handle handle : handles) word_to_replace(transaction, handle) = 5;
  return transaction.commit();
}

bool insert(Transaction& transaction, const RecordName& name) {
  transaction.begin();
  const Handle handle = transaction.want(name, Intent::kInsert);
  EXPECT_TRUE(transaction.fetch());
  if (transaction.found(handle)) {
    EXPECT_TRUE(transaction.roll_back());
    return false;
  }
  transaction.create_payload(handle);
  return transaction.commit();
}

bool erase(Transaction& transaction, const RecordName& name) {
  transaction.begin();
  const Handle handle = transaction.want(name, Intent::kUpdate);
  EXPECT_TRUE(transaction.fetch());
  transaction.erase(handle);
  return transaction.commit();
}

class TxSchedule : public ::testing::TestWithParam<TxCluster::Settings> {
 protected:
  TxCluster cluster_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Settings, TxSchedule,
                         ::testing::Values(TxCluster::Settings{},
                                           TxCluster::Settings{{"tx.prepare", "pipelined"}},
                                           TxCluster::Settings{{"tx.merge_rmw", "true"}}));

// They take three chains, of which a later one may be carried out first.
TEST_P(TxSchedule, ManyUpdatesAtOneServerAreNotInEachOthersWay) {
  for (Handle only_read{0}; only_read < 10; ++only_read) {
    cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
      transaction.begin();
      for (Key key = 0; key < 17; ++key) {
        transaction.want(word_name(key), key < only_read ? Intent::kRead : Intent::kUpdate);
      }
      ASSERT_TRUE(transaction.fetch());
      for (Handle handle = only_read; handle < 17; ++handle) ++word_to_write(transaction, handle);
      EXPECT_TRUE(transaction.commit());
    }});
  }
  EXPECT_EQ(cluster_.word(word_name(16)), 10U);
  EXPECT_EQ(cluster_.errors(), Errors{});
}

TEST_P(TxSchedule, AReadRaisesWhatIsPreparedForReads) {
  const Slot before = cluster_.slot(word_name(3));
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(read_only(transaction, word_name(3)));
  }});
  const Slot after = cluster_.slot(word_name(3));
  EXPECT_GT(after.read, kLoadedAt);
  EXPECT_EQ(after.written, before.written);
  EXPECT_EQ(after.committed, before.committed);
  EXPECT_EQ(after.pointer, before.pointer);
}

TEST_P(TxSchedule, AnUpdateRaisesAllToItsTimestampAndReplacesTheObject) {
  const Slot before = cluster_.slot(word_name(3));
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(add_one(transaction, word_name(3)));
    EXPECT_TRUE(add_one(transaction, word_name(3)));
  }});
  const Slot after = cluster_.slot(word_name(3));
  EXPECT_GT(after.written, kLoadedAt);
  EXPECT_EQ(after.read, after.written);
  EXPECT_EQ(after.committed, after.written);
  EXPECT_NE(after.pointer, before.pointer);
  EXPECT_EQ(cluster_.word(word_name(3)), 2U);
  EXPECT_EQ(cluster_.errors(), Errors{});
}

// An attempt that was given up may have left it so.
TEST_P(TxSchedule, TheVersionIsTheSlotsWhereThatIsLaterThanTheObjects) {
  Slot slot = cluster_.slot(word_name(3));
  slot.written = slot.committed = kEarlier;
  cluster_.set_slot(word_name(3), slot);
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(read_only(transaction, word_name(3)));
    EXPECT_TRUE(add_one(transaction, word_name(3)));
  }});
  EXPECT_EQ(cluster_.word(word_name(3)), 1U);
}

TEST_P(TxSchedule, ALaterReaderIsInTheWayOfWritersAlone) {
  Slot slot = cluster_.slot(word_name(3));
  slot.read = kLater;
  cluster_.set_slot(word_name(3), slot);
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(read_only(transaction, word_name(3)));
    EXPECT_FALSE(add_one(transaction, word_name(3)));
    EXPECT_EQ(transaction.cause(), Abort::kReadLater);
    // By a timestamp that is later than what it has seen.
    EXPECT_TRUE(add_one(transaction, word_name(3)));
  }});
  EXPECT_GT(cluster_.slot(word_name(3)).written, kLater);
  EXPECT_EQ(cluster_.errors(), Errors{});
}

TEST_P(TxSchedule, ALaterWriterThatIsPreparedIsInEverybodysWay) {
  const Slot before = cluster_.slot(word_name(3));
  Slot slot = before;
  slot.written = kLater;
  cluster_.set_slot(word_name(3), slot);
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_FALSE(read_only(transaction, word_name(3)));
    EXPECT_EQ(transaction.cause(), Abort::kReadOvertaken);
    EXPECT_FALSE(add_one(transaction, word_name(3)));
  }});
  EXPECT_EQ(cluster_.slot(word_name(3)).written, kLater);
  EXPECT_EQ(cluster_.slot(word_name(3)).committed, kLoadedAt);
  EXPECT_EQ(cluster_.slot(word_name(3)).pointer, before.pointer);
}

TEST_P(TxSchedule, AWriteThatReadsNothingIsOvertakenByALaterWriter) {
  Slot slot = cluster_.slot(word_name(3));
  slot.written = kLater;
  cluster_.set_slot(word_name(3), slot);
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_FALSE(replace(transaction, {word_name(3)}));
    EXPECT_EQ(transaction.cause(), Abort::kWriteOvertaken);
    EXPECT_TRUE(replace(transaction, {word_name(3)}));  // as it is later now
  }});
  EXPECT_EQ(cluster_.word(word_name(3)), 5U);
  EXPECT_EQ(cluster_.errors(), Errors{});
}

// The record that was read is replaced before it is validated.
TEST_P(TxSchedule, WhatWasReadAndHasChangedAbortsTheReader) {
  Steps steps;
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
                  transaction.begin();
                  transaction.want(word_name(0), Intent::kRead);
                  const Handle written = transaction.want(word_name(1), Intent::kUpdate);
                  ASSERT_TRUE(transaction.fetch());
                  steps.reach(1);
                  steps.await(transaction, 2);
                  ++word_to_write(transaction, written);
                  EXPECT_FALSE(transaction.commit());
                  EXPECT_EQ(transaction.cause(), Abort::kReadOvertaken);
                },
                [&](Transaction& transaction, rdma::Worker&) {
                  steps.await(transaction, 1);
                  EXPECT_TRUE(add_one(transaction, word_name(0)));
                  steps.reach(2);
                }});
  EXPECT_EQ(cluster_.word(word_name(1)), 0U);
  EXPECT_EQ(cluster_.errors(), Errors{});
}

TEST_P(TxSchedule, AbsenceIsValidatedAsValuesAre) {
  Steps steps;
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
                  transaction.begin();
                  const Handle absent = transaction.want(key_name(3), Intent::kRead);
                  const Handle written = transaction.want(word_name(1), Intent::kUpdate);
                  ASSERT_TRUE(transaction.fetch());
                  EXPECT_FALSE(transaction.found(absent));
                  steps.reach(1);
                  steps.await(transaction, 2);
                  ++word_to_write(transaction, written);
                  EXPECT_FALSE(transaction.commit());
                  EXPECT_EQ(transaction.cause(), Abort::kReadOvertaken);
                },
                [&](Transaction& transaction, rdma::Worker&) {
                  steps.await(transaction, 1);
                  EXPECT_TRUE(insert(transaction, key_name(3)));
                  steps.reach(2);
                }});
  EXPECT_EQ(cluster_.counted("claims"), 1U);
  EXPECT_EQ(cluster_.errors(), Errors{});
}

TEST_P(TxSchedule, KeysComeAndGoAndComeAgain) {
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(insert(transaction, key_name(3)));
    EXPECT_FALSE(insert(transaction, key_name(3)));
    EXPECT_TRUE(insert(transaction, key_name(40)));
    EXPECT_TRUE(insert(transaction, key_name(9)));
    EXPECT_TRUE(erase(transaction, key_name(9)));
    EXPECT_TRUE(erase(transaction, key_name(8)));
    EXPECT_TRUE(erase(transaction, key_name(0)));
    EXPECT_TRUE(insert(transaction, key_name(0)));
    EXPECT_TRUE(read_only(transaction, key_name(7)));
  }});
  const PartitionId partition{0};
  EXPECT_EQ(cluster_.keys(partition), (std::vector<Key>{0, 3, 16, 24, 32, 40}));
  EXPECT_EQ(cluster_.keys(partition, true), (std::vector<Key>{40, 32, 24, 16, 3, 0}));
  EXPECT_EQ(cluster_.count_keys(partition), 6U);
  EXPECT_EQ(cluster_.keys(PartitionId{1}), (std::vector<Key>{0, 8, 16, 24, 32}));
  EXPECT_EQ(cluster_.errors(), Errors{});
}

// It says that what it read was there at one time, so its reads are validated.
TEST_P(TxSchedule, WhoRollsBackWritesNothingAndIsValidated) {
  cluster_.run({[](Transaction& transaction, rdma::Worker&) {
    transaction.begin();
    const Handle handle = transaction.want(word_name(0), Intent::kUpdate);
    ASSERT_TRUE(transaction.fetch());
    ++word_to_write(transaction, handle);
    EXPECT_TRUE(transaction.roll_back());
  }});
  EXPECT_EQ(cluster_.word(word_name(0)), 0U);
  EXPECT_EQ(cluster_.slot(word_name(0)).written, kLoadedAt);
  EXPECT_GT(cluster_.slot(word_name(0)).read, kLoadedAt);
}

/// A client that replaces words 0 and 1 of a partition and is given up, since a later attempt is
/// prepared to write word 1; `meanwhile` runs at the other client. Word 1 is as before then.
void give_up(TxCluster& cluster, const TxCluster::Body& meanwhile, bool& over) {
  const Slot before = cluster.slot(word_name(1));
  Slot prepared = before;
  prepared.written = kLater;
  cluster.set_slot(word_name(1), prepared);
  over = false;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 EXPECT_FALSE(replace(transaction, {word_name(0), word_name(1)}));
                 EXPECT_EQ(transaction.cause(), Abort::kWriteOvertaken);
                 over = true;
               },
               meanwhile});
  cluster.set_slot(word_name(1), before);
}

/// An attempt with timestamp kEarlier has prepared word 0.
void prepare_earlier(TxCluster& cluster) {
  Slot slot = cluster.slot(word_name(0));
  slot.written = kEarlier;
  cluster.set_slot(word_name(0), slot);
}

/// Waits until the client has prepared word 0, which was `before`.
Slot await_raised(TxCluster& cluster, Transaction& transaction, Timestamp before) {
  Slot slot = cluster.slot(word_name(0));
  while (slot.written == before) {
    transaction.wait(50_ns);
    slot = cluster.slot(word_name(0));
  }
  return slot;
}

TEST(TxGivenUp, AKeyThatNobodyHasRaisedSinceIsAsBefore) {
  TxCluster cluster;
  bool over = false;
  Timestamp raised = 0;
  give_up(
      cluster,
      [&](Transaction& transaction, rdma::Worker&) {
        raised = await_raised(cluster, transaction, kLoadedAt).written;
      },
      over);
  EXPECT_GT(raised, kLoadedAt);
  EXPECT_EQ(cluster.slot(word_name(0)).written, kLoadedAt);
  EXPECT_EQ(cluster.slot(word_name(0)).committed, kLoadedAt);
  EXPECT_EQ(cluster.counted("undone"), 1U);
  EXPECT_EQ(cluster.counted("resolved"), 0U);
  EXPECT_EQ(cluster.word(word_name(0)), 0U);
  EXPECT_EQ(cluster.errors(), Errors{});
}

// It is not on top any more, and all below is decided.
TEST(TxGivenUp, AKeyThatALaterAttemptHasRaisedIsDecided) {
  TxCluster cluster;
  bool over = false;
  Timestamp raised = 0;
  give_up(
      cluster,
      [&](Transaction& transaction, rdma::Worker&) {
        Slot slot = await_raised(cluster, transaction, kLoadedAt);
        raised = slot.written;
        slot.written = kLater;
        cluster.set_slot(word_name(0), slot);
      },
      over);
  EXPECT_EQ(cluster.slot(word_name(0)).written, kLater);
  EXPECT_EQ(cluster.slot(word_name(0)).committed, raised);
  EXPECT_EQ(cluster.counted("undone"), 0U);
  EXPECT_EQ(cluster.counted("resolved"), 1U);
}

// An earlier attempt is not decided: it may commit.
TEST(TxGivenUp, AKeyIsDecidedOnlyAfterWhatCameBefore) {
  TxCluster cluster(TxCluster::Settings{{"tx.abort", "equal"}});
  prepare_earlier(cluster);
  bool over = false;
  Timestamp raised = 0;
  give_up(
      cluster,
      [&](Transaction& transaction, rdma::Worker&) {
        raised = await_raised(cluster, transaction, kEarlier).written;
        transaction.wait(100 * kMicrosecond);
        EXPECT_FALSE(over);
        Slot decided = cluster.slot(word_name(0));
        EXPECT_EQ(decided.committed, kLoadedAt);
        decided.committed = kEarlier;
        cluster.set_slot(word_name(0), decided);
      },
      over);
  EXPECT_EQ(cluster.slot(word_name(0)).written, raised);
  EXPECT_EQ(cluster.slot(word_name(0)).committed, raised);
  EXPECT_GT(cluster.counted("waits"), 0U);
  EXPECT_EQ(cluster.errors(), Errors{});
}

// With it what the earlier attempt commits counts as overwritten, though nobody has.
TEST(TxGivenUp, AsPublishedItIsDecidedWithAllBefore) {
  TxCluster cluster(TxCluster::Settings{{"tx.abort", "greater"}});
  prepare_earlier(cluster);
  bool over = false;
  Timestamp raised = 0;
  give_up(
      cluster,
      [&](Transaction& transaction, rdma::Worker&) {
        raised = await_raised(cluster, transaction, kEarlier).written;
      },
      over);
  EXPECT_EQ(cluster.slot(word_name(0)).committed, raised);
  EXPECT_EQ(cluster.counted("waits"), 0U);
}

// Also a write that did not stand has raised the key.
TEST(TxGivenUp, AWriteThatMetALaterReaderIsTakenBack) {
  TxCluster cluster;
  Slot slot = cluster.slot(word_name(0));
  slot.read = kLater;
  cluster.set_slot(word_name(0), slot);
  cluster.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_FALSE(replace(transaction, {word_name(0)}));
    EXPECT_EQ(transaction.cause(), Abort::kReadLater);
  }});
  EXPECT_EQ(cluster.slot(word_name(0)).written, kLoadedAt);
  EXPECT_EQ(cluster.counted("undone"), 1U);
  EXPECT_EQ(cluster.errors(), Errors{});
}

TEST(TxAtRest, TellsOfWhatIsPreparedAndOfObjectsThatAreTooLate) {
  TxCluster cluster;
  cluster.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(add_one(transaction, word_name(0)));
    EXPECT_TRUE(read_only(transaction, word_name(1)));
  }});
  ASSERT_EQ(cluster.errors(), Errors{});
  const Slot written = cluster.slot(word_name(0));
  const Slot read = cluster.slot(word_name(1));
  Slot late = written;
  late.committed = late.written = kEarlier;
  cluster.set_slot(word_name(0), late);
  Slot prepared = read;
  prepared.written = kEarlier;
  cluster.set_slot(word_name(1), prepared);
  EXPECT_EQ(cluster.errors(),
            (Errors{"table 0: slot 0 is committed up to " + std::to_string(kEarlier) +
                        ", its object is of " + std::to_string(written.written),
                    "table 0: slot 1 is prepared for a write of " + std::to_string(kEarlier) +
                        ", and committed up to 1"}));
}

TEST(TxAtRest, TellsOfABufferThatTwoSlotsLeadTo) {
  TxCluster cluster;
  cluster.run({[](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(add_one(transaction, word_name(0)));
  }});
  Slot slot = cluster.slot(word_name(1));
  slot.pointer = cluster.slot(word_name(0)).pointer;
  cluster.set_slot(word_name(1), slot);
  EXPECT_FALSE(cluster.errors().empty());
}

}  // namespace
}  // namespace verbena::testing
