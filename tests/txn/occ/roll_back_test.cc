// Roll-backs: one that was decided on a state that existed stands, another counts as aborted; none
// leaves a lock or a change.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/txn/occ/interruption.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;
using Kind = Transaction::Kind;

constexpr TableId kItems = 0;

class RollBack : public PlanTest {
 protected:
  static ClusterOptions options() {
    TableDefinition items = word_table("items", 1, 10, 20);
    items.ordered = true;
    ClusterOptions options;
    options.schema = {items};
    options.plan = plan_preset(GetParam());
    options.max_scanned = 10;
    return options;
  }
  static bool locks_in_execution() { return plan_preset(GetParam()).lock_in_execution; }

  // Nothing is changed and nothing locked.
  static void expect_no_trace(TransactionCluster& cluster, const std::vector<RecordName>& names) {
    for (const RecordName& name : names) {
      EXPECT_EQ(cluster.word(name), initial_word(name.partition, name.key));
    }
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, RollBack, ::testing::ValuesIn(plan_names()), plan_test_name);

// Reads the first record, lets `meanwhile` happen, reads the second one; a roll-back stands or not.
void read_around(TransactionCluster& cluster, Kind kind, const RecordName& first,
                 const RecordName& second, const RecordName& updated, bool stands) {
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        transaction.begin(kind);
        transaction.want(first, Intent::kRead);
        ASSERT_TRUE(transaction.fetch());
        pause();
        transaction.want(second, Intent::kRead);
        ASSERT_TRUE(transaction.fetch());
        EXPECT_EQ(transaction.roll_back(), stands);
        EXPECT_EQ(transaction.cause(), stands ? Abort::kRolledBack : Abort::kValidationFailed);
      },
      [&](Transaction& transaction) { update(transaction, updated, 77); });
}

TEST_P(RollBack, OnRecordsOfDifferentStatesDoesNotStand) {
  for (const Kind kind : {Kind::kReadOnly, Kind::kReadWrite}) {
    for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
      TransactionCluster cluster(options());
      const RecordName first{kItems, partition, 3};
      read_around(cluster, kind, first, {kItems, 2, 4}, first, false);
    }
  }
}

TEST_P(RollBack, OnRecordsOfOneStateStands) {
  for (const Kind kind : {Kind::kReadOnly, Kind::kReadWrite}) {
    for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
      TransactionCluster cluster(options());
      // The second was updated before both were read together.
      const RecordName second{kItems, 2, 4};
      read_around(cluster, kind, {kItems, partition, 3}, second, second, true);
    }
  }
}

TEST_P(RollBack, OnOneRecordStandsWhateverBecameOfIt) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName name{kItems, partition, 3};
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          transaction.begin();
          const auto record = transaction.want(name, Intent::kRead);
          ASSERT_TRUE(transaction.fetch());
          transaction.update<std::uint64_t>(record) = 5;
          pause();
          EXPECT_TRUE(transaction.roll_back());
          EXPECT_EQ(transaction.cause(), Abort::kRolledBack);
        },
        [&](Transaction& transaction) { update(transaction, name, 77); });
    EXPECT_EQ(cluster.word(name), 77U);
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
}

// A record that was to be written and is not locked is validated like one that was only read.
TEST_P(RollBack, OnWhatWasToBeWrittenDoesNotStandIfThatHasChanged) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName name{kItems, partition, 3};
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          transaction.begin();
          const auto record = transaction.want(name, Intent::kRead);
          transaction.want(kItems, 2, 4);
          ASSERT_TRUE(transaction.fetch());
          transaction.update<std::uint64_t>(record) = 5;
          pause();
          EXPECT_FALSE(transaction.roll_back());
          EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
        },
        [&](Transaction& transaction) { update(transaction, name, 77); });
    EXPECT_EQ(cluster.word(name), 77U);
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
}

TEST_P(RollBack, OnAKeyThatWasAbsentDoesNotStandIfItCame) {
  for (const bool comes : {true, false}) {
    TransactionCluster cluster(options());
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          transaction.begin();
          const auto absent = transaction.want(kItems, 1, 50);
          transaction.want(kItems, 2, 4);
          ASSERT_TRUE(transaction.fetch());
          ASSERT_FALSE(transaction.found(absent));
          pause();
          EXPECT_EQ(transaction.roll_back(), !comes);
        },
        [&](Transaction& transaction) {
          if (comes) insert(transaction, {kItems, 1, 50}, 1);
        });
  }
}

// Every kind of lock: of records that were read to be updated, of one that is not written then, and
// of one that is inserted.
TEST_P(RollBack, ReleasesWhatItHasLocked) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const std::vector<RecordName> names = {{kItems, partition, 3}, {kItems, partition, 4}};
    cluster.run_on(0, [&](Transaction& transaction) {
      transaction.begin();
      const auto written = transaction.want(names[0], Intent::kUpdate);
      transaction.want(names[1], Intent::kUpdate);
      const auto inserted = transaction.want(kItems, partition, 50, Intent::kInsert);
      ASSERT_TRUE(transaction.fetch());
      transaction.update<std::uint64_t>(written) = 5;
      transaction.create<std::uint64_t>(inserted) = 5;
      for (const RecordName& name : names) {
        EXPECT_EQ(load_word(cluster.live(name)) != kUnlocked, locks_in_execution());
      }
      EXPECT_TRUE(transaction.roll_back());
    });
    EXPECT_EQ(load_word(cluster.live({kItems, partition, 50})), kUnlocked);
    expect_no_trace(cluster, names);
  }
}

// The locks that it holds do not stay behind, and the record that changed keeps its change.
TEST_P(RollBack, ThatDoesNotStandReleasesWhatItHasLocked) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName locked{kItems, partition, 3};
    const RecordName changed{kItems, 2, 4};
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          transaction.begin();
          const auto record = transaction.want(locked, Intent::kUpdate);
          const auto inserted = transaction.want(kItems, partition, 50, Intent::kInsert);
          transaction.want(changed, Intent::kRead);
          ASSERT_TRUE(transaction.fetch());
          transaction.update<std::uint64_t>(record) = 5;
          transaction.create<std::uint64_t>(inserted) = 5;
          pause();
          EXPECT_FALSE(transaction.roll_back());
          EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
        },
        [&](Transaction& transaction) { update(transaction, changed, 77); });
    EXPECT_EQ(load_word(cluster.live({kItems, partition, 50})), kUnlocked);
    EXPECT_EQ(cluster.word(changed), 77U);
    expect_no_trace(cluster, {locked});
  }
}

}  // namespace
}  // namespace verbena::txn::occ
