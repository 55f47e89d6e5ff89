// Range of a scan's validation: every key up to both ends of what the scan has answered for, and
// none beyond.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/txn/occ/interruption.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;
using Keys = std::vector<Key>;

constexpr TableId kItems = 0;  // ordered
constexpr TableId kOthers = 1;
constexpr Key kDistance = 1000;           // between the keys of one case and those of the next
const Keys kPresent{20, 22, 24, 26, 28};  // of each case

enum class Change : std::uint8_t { kInsert, kErase, kInsertAndErase, kEraseAndInsert };

struct Scan {
  Key first;
  Key last;
  std::uint32_t limit;
  Keys keys;  // the answer
  bool descending = false;
};

struct Case {
  std::string name;
  Scan scan;
  Change change;
  Key key;
  bool stands;  // the scan, although the key has changed since
};

// Without reaching its limit.
const Scan kAll{.first = 19, .last = 29, .limit = 9, .keys = kPresent};
const Scan kAllDown{
    .first = 19, .last = 29, .limit = 9, .keys = {28, 26, 24, 22, 20}, .descending = true};
const Scan kFromKeyToKey{.first = 20, .last = 28, .limit = 9, .keys = kPresent};
const Scan kBetweenKeys{.first = 21, .last = 27, .limit = 9, .keys = {22, 24, 26}};
const Scan kNothing{.first = 30, .last = 39, .limit = 9, .keys = {}};
const Scan kOneKey{.first = 25, .last = 25, .limit = 1, .keys = {}};
// Reaching it.
const Scan kLowest{.first = 19, .last = 29, .limit = 3, .keys = {20, 22, 24}};
const Scan kHighest{.first = 19, .last = 29, .limit = 3, .keys = {28, 26, 24}, .descending = true};
const Scan kAsMany{.first = 19, .last = 29, .limit = 5, .keys = kPresent};
const Scan kAsManyDown{
    .first = 19, .last = 29, .limit = 5, .keys = {28, 26, 24, 22, 20}, .descending = true};

const std::vector<Case>& cases() {
  constexpr Change kInsert = Change::kInsert;
  constexpr Change kErase = Change::kErase;
  constexpr Change kComesAndGoes = Change::kInsertAndErase;
  constexpr Change kGoesAndComes = Change::kEraseAndInsert;
  static const std::vector<Case> all = {
      {"a key comes at the first", kAll, kInsert, 19, false},
      {"a key comes at the last", kAll, kInsert, 29, false},
      {"a key comes just before the first", kAll, kInsert, 18, true},
      {"a key comes just behind the last", kAll, kInsert, 30, true},
      {"a key comes in the middle", kAll, kInsert, 25, false},
      {"descending, a key comes at the first", kAllDown, kInsert, 19, false},
      {"descending, a key comes at the last", kAllDown, kInsert, 29, false},
      {"descending, a key comes just before the first", kAllDown, kInsert, 18, true},
      {"descending, a key comes just behind the last", kAllDown, kInsert, 30, true},
      {"the key at the first goes", kFromKeyToKey, kErase, 20, false},
      {"the key at the last goes", kFromKeyToKey, kErase, 28, false},
      {"the key just before the first goes", kBetweenKeys, kErase, 20, true},
      {"the key just behind the last goes", kBetweenKeys, kErase, 28, true},
      {"a key comes at the first of nothing", kNothing, kInsert, 30, false},
      {"a key comes at the last of nothing", kNothing, kInsert, 39, false},
      {"a key comes just before nothing", kNothing, kInsert, 29, true},
      {"a key comes just behind nothing", kNothing, kInsert, 40, true},
      {"the only key comes", kOneKey, kInsert, 25, false},

      {"a key comes and goes at the first", kAll, kComesAndGoes, 19, false},
      {"a key comes and goes at the last", kAll, kComesAndGoes, 29, false},
      {"a key comes and goes just before the first", kAll, kComesAndGoes, 18, true},
      {"a key comes and goes just behind the last", kAll, kComesAndGoes, 30, true},
      {"the only key comes and goes", kOneKey, kComesAndGoes, 25, false},
      {"the key at the first goes and comes again", kFromKeyToKey, kGoesAndComes, 20, false},
      {"the key at the last goes and comes again", kFromKeyToKey, kGoesAndComes, 28, false},

      {"limited, a key comes at the first", kLowest, kInsert, 19, false},
      {"limited, a key comes before the last given", kLowest, kInsert, 23, false},
      {"limited, the last given goes", kLowest, kErase, 24, false},
      {"limited, the last given goes and comes again", kLowest, kGoesAndComes, 24, false},
      {"limited, a key comes just behind the last given", kLowest, kInsert, 25, true},
      {"limited, a key comes at the last", kLowest, kInsert, 29, true},
      {"limited, the next key goes", kLowest, kErase, 26, true},
      {"limited, a key comes and goes behind the last given", kLowest, kComesAndGoes, 25, true},
      {"limited, a key comes and goes before the last given", kLowest, kComesAndGoes, 23, false},
      {"limited descending, a key comes at the last", kHighest, kInsert, 29, false},
      {"limited descending, a key comes before the last given", kHighest, kInsert, 25, false},
      {"limited descending, the last given goes", kHighest, kErase, 24, false},
      {"limited descending, a key comes just behind the last given", kHighest, kInsert, 23, true},
      {"limited descending, a key comes at the first", kHighest, kInsert, 19, true},
      {"limited descending, the next key goes", kHighest, kErase, 22, true},
      {"limited descending, a key comes and goes behind", kHighest, kComesAndGoes, 23, true},
      {"limited descending, a key comes and goes before", kHighest, kComesAndGoes, 25, false},
      {"as many as the limit, a key comes behind them", kAsMany, kInsert, 29, true},
      {"as many as the limit descending, a key comes behind them", kAsManyDown, kInsert, 19, true},
      {"as many as the limit, a key comes before them", kAsMany, kInsert, 19, false},
      {"as many as the limit descending, a key comes before them", kAsManyDown, kInsert, 29, false},
  };
  return all;
}

class ScanValidation : public PlanTest {
 protected:
  static ClusterOptions options() {
    const std::uint64_t inserts = cases().size() * (kPresent.size() + 1);
    TableDefinition items = word_table("items", 1, 0, inserts);
    items.ordered = true;
    ClusterOptions options;
    options.schema = {items, word_table("others", 1, 10)};
    options.plan = plan_preset(GetParam());
    options.max_scanned = 9;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, ScanValidation, ::testing::ValuesIn(plan_names()), plan_test_name);

void change(Transaction& transaction, Change what, const RecordName& item) {
  switch (what) {
    case Change::kInsert:
      return insert(transaction, item, 1);
    case Change::kErase:
      return erase(transaction, item);
    case Change::kInsertAndErase:
      insert(transaction, item, 1);
      return erase(transaction, item);
    case Change::kEraseAndInsert:
      erase(transaction, item);
      return insert(transaction, item, item.key);
  }
}

// Scans, lets the change happen and ends. `writes`: a record of another table, or else nothing.
void scan_and_end(Transaction& transaction, PartitionId partition, std::size_t number, bool writes,
                  const std::function<void()>& pause) {
  const Case& tried = cases()[number];
  const Key base = number * kDistance;
  transaction.begin(writes ? Transaction::Kind::kReadWrite : Transaction::Kind::kReadOnly);
  Keys keys;
  ASSERT_TRUE(transaction.scan({.table = kItems,
                                .partition = partition,
                                .first = base + tried.scan.first,
                                .last = base + tried.scan.last,
                                .descending = tried.scan.descending},
                               tried.scan.limit, keys));
  for (Key& key : keys) key -= base;
  EXPECT_EQ(keys, tried.scan.keys);
  if (writes) {
    const auto other = transaction.want(kOthers, 2, 1);
    ASSERT_TRUE(transaction.fetch());
    transaction.update<std::uint64_t>(other) += 1;
  }
  pause();
  EXPECT_EQ(transaction.commit(), tried.stands);
  if (!tried.stands) {
    EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
  }
}

void try_all(TransactionCluster& cluster, PartitionId partition, bool writes) {
  for (std::size_t number = 0; number < cases().size(); ++number) {
    SCOPED_TRACE(cases()[number].name + ", partition " + std::to_string(partition) +
                 (writes ? ", written with" : ", only read"));
    const auto item = [&](Key key) {
      return RecordName{.table = kItems, .partition = partition, .key = number * kDistance + key};
    };
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          for (const Key key : kPresent) insert(transaction, item(key), key);
          scan_and_end(transaction, partition, number, writes, pause);
        },
        [&](Transaction& transaction) {
          change(transaction, cases()[number].change, item(cases()[number].key));
        });
  }
}

TEST_P(ScanValidation, EndsWhereTheAnswerEnds) {
  TransactionCluster cluster(options());
  try_all(cluster, 0, true);
  try_all(cluster, 1, false);
  try_all(cluster, 2, true);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// A roll-back that a scan has led to is validated by the same means.
TEST_P(ScanValidation, IsOfARollBackToo) {
  for (const Key inserted : {Key{29}, Key{30}}) {
    TransactionCluster cluster(options());
    const KeyRange range{.table = kItems, .partition = 1, .first = 19, .last = 29};
    run_interrupted(
        cluster,
        [&](Transaction& transaction, const std::function<void()>& pause) {
          transaction.begin();
          Keys keys;
          ASSERT_TRUE(transaction.scan(range, 9, keys));
          pause();
          EXPECT_EQ(transaction.roll_back(), inserted > range.last) << inserted;
        },
        [&](Transaction& transaction) {
          insert(transaction, {kItems, 1, inserted}, 1);
        });
  }
}

// A record that a transaction inserts itself is no phantom to it, whenever it scans.
TEST_P(ScanValidation, LeavesOutWhatTheTransactionInsertsItself) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [](Transaction& transaction) {
    for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
      const KeyRange range{.table = kItems, .partition = partition, .first = 19, .last = 29};
      Keys keys;
      transaction.begin();
      const auto before = transaction.want(kItems, partition, 19, Intent::kInsert);
      ASSERT_TRUE(transaction.fetch());
      transaction.create<std::uint64_t>(before) = 1;
      ASSERT_TRUE(transaction.scan(range, 9, keys));
      EXPECT_EQ(keys, Keys{}) << "its own";
      const auto behind = transaction.want(kItems, partition, 29, Intent::kInsert);
      ASSERT_TRUE(transaction.fetch());
      transaction.create<std::uint64_t>(behind) = 1;
      EXPECT_TRUE(transaction.commit()) << "partition " << partition;
      transaction.wait(50 * kMicrosecond);
      transaction.begin(Transaction::Kind::kReadOnly);
      ASSERT_TRUE(transaction.scan(range, 9, keys));
      EXPECT_EQ(keys, (Keys{19, 29}));
      EXPECT_TRUE(transaction.commit());
    }
  });
}

}  // namespace
}  // namespace verbena::txn::occ
