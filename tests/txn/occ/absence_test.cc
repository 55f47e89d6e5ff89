// Keys that a transaction has found absent: if one came meanwhile, even if it has gone again, the
// transaction does not commit, wherever in the index its place is.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/txn/occ/interruption.h"
#include "txn/index/bucket.h"

namespace verbena::txn::occ {
namespace {

constexpr TableId kItems = 0;
constexpr TableId kOthers = 1;

// A step with the absent key, and with the table's layout.
using Step = std::function<void(Transaction&, const RecordName&, const TableLayout&)>;

void nothing(Transaction&, const RecordName&, const TableLayout&) {}
void comes(Transaction& transaction, const RecordName& name, const TableLayout&) {
  insert(transaction, name, 1);
}
void comes_and_goes(Transaction& transaction, const RecordName& name, const TableLayout&) {
  insert(transaction, name, 1);
  erase(transaction, name);
}
void is_given_up(Transaction& transaction, const RecordName& name, const TableLayout&) {
  give_up_insert(transaction, name);
}
void comes_elsewhere(Transaction& transaction, const RecordName& name, const TableLayout& table) {
  Key other = name.key + 1;
  while (table.bucket_of(other) == table.bucket_of(name.key)) ++other;
  insert(transaction, {name.table, name.partition, other}, 1);
}

// So many keys that share a main bucket, where no initial key is.
std::vector<Key> keys_of_a_bucket(const TableLayout& table, std::size_t count) {
  const auto holds_initial = [&](std::uint64_t bucket) {
    for (Key key = 0; key < table.initial_records; ++key) {
      if (table.bucket_of(key) == bucket) return true;
    }
    return false;
  };
  Key first = 1000;
  while (holds_initial(table.bucket_of(first))) ++first;
  std::vector<Key> keys;
  for (Key key = first; keys.size() < count; ++key) {
    if (table.bucket_of(key) == table.bucket_of(first)) keys.push_back(key);
  }
  return keys;
}

// So many keys are in the absent key's buckets.
struct Depth {
  const char* place;
  std::size_t keys;
};
constexpr Depth kDepths[] = {{"in the main bucket", 0},
                             {"behind a full main bucket", Bucket::kSlots},
                             {"in an indirect bucket", Bucket::kSlots + 1},
                             {"in a second indirect bucket", 2 * Bucket::kSlots + 1}};

class Absence : public PlanTest {
 protected:
  static ClusterOptions options() {
    ClusterOptions options;
    options.schema = {word_table("items", 1, 10, 200), word_table("others", 1, 10)};
    options.plan = plan_preset(GetParam());
    return options;
  }

  // A key of every depth is absent, after what was `before`; a transaction that has seen so commits
  // only if it is `expected` to, after what comes `meanwhile`. Every other one writes too, a record
  // that has nothing to do with the key.
  static void try_all(const Step& before, const Step& meanwhile, bool expected) {
    bool writes = false;
    for (const Depth& depth : kDepths) {
      writes = !writes;
      for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
        SCOPED_TRACE(std::string(depth.place) + " of partition " + std::to_string(partition));
        try_one(partition, depth.keys, before, meanwhile, writes, expected);
      }
    }
  }

 private:
  static void try_one(PartitionId partition, std::size_t present, const Step& before,
                      const Step& meanwhile, bool writes, bool expected) {
    TransactionCluster cluster(options());
    const TableLayout& table = cluster.node(0).layout().table(kItems);
    const std::vector<Key> keys = keys_of_a_bucket(table, present + 1);
    const RecordName absent{kItems, partition, keys.back()};
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          for (std::size_t i = 0; i < present; ++i) {
            insert(transaction, {kItems, partition, keys[i]}, 1);
          }
          before(transaction, absent, table);
          transaction.begin(writes ? Transaction::Kind::kReadWrite : Transaction::Kind::kReadOnly);
          const auto item = transaction.want(absent, Transaction::Intent::kRead);
          const auto other = transaction.want(kOthers, 2, 1);
          ASSERT_TRUE(transaction.fetch());
          ASSERT_FALSE(transaction.found(item));
          if (writes) transaction.update<std::uint64_t>(other) += 1;
          pause();
          EXPECT_EQ(transaction.commit(), expected);
          if (!expected) {
            EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
          }
        },
        [&](Transaction& transaction) { meanwhile(transaction, absent, table); });
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, Absence, ::testing::ValuesIn(plan_names()), plan_test_name);

TEST_P(Absence, OfAKeyThatStaysAwayStands) { try_all(nothing, nothing, true); }

TEST_P(Absence, OfAKeyThatCameDoesNot) { try_all(nothing, comes, false); }

TEST_P(Absence, OfAKeyThatCameAndHasGoneDoesNot) { try_all(nothing, comes_and_goes, false); }

// The index leads to an absent record.
TEST_P(Absence, BehindAnInsertThatWasGivenUpStandsOrNotLikewise) {
  try_all(is_given_up, nothing, true);
  try_all(is_given_up, comes, false);
  try_all(is_given_up, comes_and_goes, false);
}

TEST_P(Absence, OfAKeyThatWasThereOnceStandsOrNotLikewise) {
  try_all(comes_and_goes, nothing, true);
  try_all(comes_and_goes, comes, false);
  try_all(comes_and_goes, comes_and_goes, false);
}

TEST_P(Absence, IsNotTouchedByWhatComesInAnotherBucket) { try_all(nothing, comes_elsewhere, true); }

}  // namespace
}  // namespace verbena::txn::occ
