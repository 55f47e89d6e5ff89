// Entries that had one key and then another: who remembers the one is not given the other, and
// nobody uses an entry whose lock is held.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "tests/txn/occ/interruption.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;
using Kind = Transaction::Kind;

constexpr TableId kItems = 0;
constexpr Key kOld = 5;
constexpr Key kNew = 500;
constexpr Key kThird = 501;
constexpr std::uint64_t kStranger = 0x7777'0000'0000'0001;

class EntryReuse : public PlanTest {
 protected:
  static ClusterOptions options() {
    ClusterOptions options;
    options.schema = {word_table("items", 1, 10, 20)};
    options.plan = plan_preset(GetParam());
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, EntryReuse, ::testing::ValuesIn(plan_names()), plan_test_name);

std::optional<std::uint32_t> entry(TransactionCluster& cluster, const RecordName& name) {
  return cluster.holder(name.partition).store().find_at_rest(0, name.table, name.key);
}

void set_lock(TransactionCluster& cluster, PartitionId partition, std::uint32_t entry,
              std::uint64_t word) {
  shared_word(cluster.holder(partition).store().record(0, kItems, entry)).store(word);
}

// The record's word as a transaction finds it, or nothing.
std::optional<std::uint64_t> read(Transaction& transaction, const RecordName& name) {
  transaction.begin(Kind::kReadOnly);
  const auto record = transaction.want(name, Intent::kRead);
  EXPECT_TRUE(transaction.fetch());
  const bool found = !transaction.cause() && transaction.found(record);
  const auto word = found ? std::optional(transaction.value<std::uint64_t>(record)) : std::nullopt;
  EXPECT_TRUE(transaction.commit());
  return word;
}

// The record of kOld is gone, and its entry is that of kNew.
void replace(Transaction& transaction, PartitionId partition) {
  erase(transaction, {kItems, partition, kOld});
  insert(transaction, {kItems, partition, kNew}, 77);
}

TEST_P(EntryReuse, WaitsUntilTheLockIsFree) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName old{kItems, partition, kOld};
    const std::uint32_t erased = entry(cluster, old).value();
    cluster.run_on(0, [&](Transaction& transaction) {
      erase(transaction, old);
      // As by one who remembers the entry.
      set_lock(cluster, partition, erased, kStranger);
      insert(transaction, {kItems, partition, kNew}, 77);
      EXPECT_NE(entry(cluster, {kItems, partition, kNew}), erased);
      set_lock(cluster, partition, erased, kUnlocked);
      insert(transaction, {kItems, partition, kThird}, 78);
      EXPECT_EQ(entry(cluster, {kItems, partition, kThird}), erased);
    });
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
}

// Node 0 remembers where the old key was.
TEST_P(EntryReuse, IsNotTakenForTheKeyThatWasThere) {
  TransactionCluster cluster(options());
  const RecordName old{kItems, 1, kOld};
  const std::uint32_t reused = entry(cluster, old).value();
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        EXPECT_EQ(read(transaction, old), initial_word(1, kOld));
        pause();
        EXPECT_EQ(read(transaction, old), std::nullopt);
        EXPECT_EQ(read(transaction, {kItems, 1, kNew}), 77U);
      },
      [](Transaction& transaction) { replace(transaction, 1); });
  EXPECT_EQ(entry(cluster, {kItems, 1, kNew}), reused);
}

TEST_P(EntryReuse, SendsWhoRemembersTheKeyToItsNewPlace) {
  TransactionCluster cluster(options());
  const RecordName old{kItems, 1, kOld};
  const std::uint32_t reused = entry(cluster, old).value();
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        EXPECT_EQ(read(transaction, old), initial_word(1, kOld));
        pause();
        EXPECT_EQ(read(transaction, old), 78U);
        EXPECT_EQ(read(transaction, {kItems, 1, kNew}), 77U);
      },
      [&](Transaction& transaction) {
        replace(transaction, 1);
        insert(transaction, old, 78);
      });
  EXPECT_EQ(entry(cluster, {kItems, 1, kNew}), reused);
  EXPECT_NE(entry(cluster, old), reused);
}

// The entry is free, and its absent record still has the key, which is elsewhere by now.
TEST_P(EntryReuse, AnErasedRecordDoesNotSayThatItsKeyIsAbsent) {
  TransactionCluster cluster(options());
  const RecordName old{kItems, 1, kOld};
  const std::uint32_t erased = entry(cluster, old).value();
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        EXPECT_EQ(read(transaction, old), initial_word(1, kOld));
        pause();
        EXPECT_EQ(read(transaction, old), 78U);
      },
      [&](Transaction& transaction) {
        erase(transaction, old);
        set_lock(cluster, 1, erased, kStranger);
        insert(transaction, old, 78);
        set_lock(cluster, 1, erased, kUnlocked);
      });
  EXPECT_NE(entry(cluster, old), erased);
}

// A record that was read, and the entry then used for another key: the write does not go there.
TEST_P(EntryReuse, KeepsALateWriterOut) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName old{kItems, partition, kOld};
    const std::uint32_t reused = entry(cluster, old).value();
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          transaction.begin();
          const auto record = transaction.want(old, Intent::kRead);
          ASSERT_TRUE(transaction.fetch());
          transaction.update<std::uint64_t>(record) += 1;
          pause();
          EXPECT_FALSE(transaction.commit());
          EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
        },
        [&](Transaction& transaction) { replace(transaction, partition); });
    const RecordName other{kItems, partition, kNew};
    EXPECT_EQ(entry(cluster, other), reused);
    EXPECT_EQ(cluster.word(other), 77U);
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
}

// An insert that was prepared before: its absent record was used by others meanwhile.
TEST_P(EntryReuse, KeepsALateInserterOut) {
  if (plan_preset(GetParam()).lock_in_execution) GTEST_SKIP() << "it has locked its record";
  TransactionCluster cluster(options());
  const RecordName name{kItems, 1, kNew};
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        transaction.begin();
        const auto record = transaction.want(name, Intent::kInsert);
        ASSERT_TRUE(transaction.fetch());
        ASSERT_FALSE(transaction.found(record));
        transaction.create<std::uint64_t>(record) = 1;
        pause();
        EXPECT_FALSE(transaction.commit());
        EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
      },
      [&](Transaction& transaction) {
        insert(transaction, name, 77);
        erase(transaction, name);
        insert(transaction, {kItems, 1, kThird}, 78);
      });
  EXPECT_EQ(entry(cluster, name), std::nullopt);
  EXPECT_EQ(cluster.word({kItems, 1, kThird}), 78U);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// A reader that sees the same version of an entry twice knows that nothing happened.
TEST_P(EntryReuse, NeverShowsAVersionAgain) {
  TransactionCluster cluster(options());
  const RecordName old{kItems, 1, kOld};
  std::byte* live = cluster.live(old);
  cluster.run_on(0, [&](Transaction& transaction) {
    std::uint64_t last = 0;
    const auto expect_later = [&](const char* after) {
      const std::uint64_t now = change_count(load_word(live + kVersionOffset));
      EXPECT_GT(now, last) << after;
      last = now;
    };
    expect_later("the beginning");
    erase(transaction, old);
    expect_later("an erasure");
    give_up_insert(transaction, {kItems, 1, kNew});
    expect_later("an insert that was given up");
    insert(transaction, {kItems, 1, kNew}, 77);
    expect_later("an insert");
    erase(transaction, {kItems, 1, kNew});
    expect_later("another erasure");
    insert(transaction, old, 78);
    expect_later("the insert of the first key");
  });
  EXPECT_EQ(cluster.live(old), live);
}

}  // namespace
}  // namespace verbena::txn::occ
