// Inserts, erases and scans in transactions: what exists is what committed transactions made exist,
// on every plan; nobody sees half of it, and no phantoms.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/txn/occ/transaction_cluster.h"
#include "tests/version_check/violation.h"
#include "txn/occ/attempt/coordinator.h"
#include "txn/store/record.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;
using testing::by_fabric;

constexpr TableId kItems = 0;     // ordered; keys 0 to 9 exist
constexpr TableId kCounters = 1;  // key 0 of a partition: how many items it has
constexpr Key kInitial = 10;
constexpr Key kKeys = 24;

struct Variant {
  std::string name;
  std::string plan;
  bool chaos = false;
  std::string ud_loss = "0";
  std::uint32_t words = 1;
  std::function<void(Plan&)> change = {};
  bool only_simulated = false;
};

std::vector<Variant> variants() {
  std::vector<Variant> all = {
      {.name = "drtmh", .plan = "drtmh", .chaos = true},
      {.name = "drtmh_loss",
       .plan = "drtmh",
       .chaos = true,
       .ud_loss = "0.02",
       .only_simulated = true},
      {.name = "farm", .plan = "farm", .chaos = true, .ud_loss = "0.02"},
      {.name = "drtmr", .plan = "drtmr", .chaos = true, .only_simulated = true},
      {.name = "fasst_occ",
       .plan = "fasst-occ",
       .chaos = true,
       .ud_loss = "0.02",
       .only_simulated = true},
      {.name = "fasst", .plan = "fasst", .chaos = true, .ud_loss = "0.02"},
      {.name = "hybrid_fasst", .plan = "hybrid-fasst", .chaos = true, .only_simulated = true},
      {.name = "one_sided_long", .plan = "one-sided", .chaos = true, .words = 20},
      {.name = "two_sided_long", .plan = "two-sided", .chaos = true, .words = 20},
      {.name = "cpu_locks_nic_commits",
       .plan = "one-sided",
       .chaos = true,
       .change = [](Plan& plan) { plan.lock.primitive = Primitive::kTwoSided; }},
  };
  if (testing::on_hardware()) {
    std::erase_if(all, [](const Variant& variant) { return variant.only_simulated; });
  }
  return all;
}

ClusterOptions options_for(const Variant& variant, std::uint64_t seed) {
  ClusterOptions options;
  options.fabric = {.nodes = 3,
                    .workers = 2,
                    .seed = seed,
                    .chaos = variant.chaos,
                    .overrides = {{"fabric.ud_loss", variant.ud_loss}}};
  TableDefinition items = word_table("items", variant.words, kInitial, 400);
  items.ordered = true;
  TableDefinition counters = word_table("counters", 1, 1);
  counters.load = [](PartitionId, Key, std::span<std::byte> payload) {
    store_word(payload.data(), kInitial);
  };
  options.schema = {items, counters};
  options.plan = plan_preset(variant.plan);
  if (variant.change) variant.change(options.plan);
  options.replicas = 2;
  options.fibers = by_fabric(3U, 1U);
  options.max_records = 28;
  options.max_scanned = kKeys + 1;
  options.log_ring_bytes = 0;
  return options;
}

class Inserts : public ::testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(Plans, Inserts, ::testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param.name; });

KeyRange item_range(PartitionId partition, Key first, Key last) {
  return {.table = kItems, .partition = partition, .first = first, .last = last};
}

bool exists(Transaction& transaction, PartitionId partition, Key key) {
  for (;;) {
    transaction.begin(Transaction::Kind::kReadOnly);
    const auto item = transaction.want(kItems, partition, key);
    const bool fetched = transaction.fetch();
    const bool found = fetched && transaction.found(item);
    if (transaction.commit()) return found;
    transaction.wait(20 * kMicrosecond);
  }
}

bool insert(Transaction& transaction, PartitionId partition, Key key, std::uint64_t word) {
  transaction.begin();
  const auto item = transaction.want(kItems, partition, key, Intent::kInsert);
  if (transaction.fetch()) {
    EXPECT_FALSE(transaction.found(item));
    transaction.create<std::uint64_t>(item) = word;
  }
  return transaction.commit();
}

bool erase(Transaction& transaction, PartitionId partition, Key key) {
  transaction.begin();
  const auto item = transaction.want(kItems, partition, key, Intent::kUpdate);
  if (transaction.fetch()) transaction.erase(item);
  return transaction.commit();
}

void retry(Transaction& transaction, const std::function<bool()>& attempt) {
  while (!attempt()) transaction.wait(30 * kMicrosecond);
}

TEST_P(Inserts, RecordsComeAndGoAndComeAgain) {
  TransactionCluster cluster(options_for(GetParam(), 1));
  cluster.run_on(0, [](Transaction& transaction) {
    for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
      for (std::uint64_t round = 1; round <= 3; ++round) {
        EXPECT_FALSE(exists(transaction, partition, 15));
        retry(transaction, [&] { return insert(transaction, partition, 15, round); });
        EXPECT_TRUE(exists(transaction, partition, 15));
        retry(transaction, [&] { return erase(transaction, partition, 15); });
      }
      EXPECT_TRUE(exists(transaction, partition, 3));
      retry(transaction, [&] { return erase(transaction, partition, 3); });
      EXPECT_FALSE(exists(transaction, partition, 3));
    }
  });
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  EXPECT_EQ(violation_text(serializability_violation(cluster.history())), "");
}

TEST_P(Inserts, AnInsertThatIsGivenUpLeavesNothing) {
  TransactionCluster cluster(options_for(GetParam(), 1));
  cluster.run_on(0, [](Transaction& transaction) {
    for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
      transaction.begin();
      const auto item = transaction.want(kItems, partition, 17, Intent::kInsert);
      ASSERT_TRUE(transaction.fetch());
      transaction.create<std::uint64_t>(item) = 5;
      EXPECT_TRUE(transaction.roll_back());
      transaction.wait(50 * kMicrosecond);
      EXPECT_FALSE(exists(transaction, partition, 17));
      retry(transaction, [&] { return insert(transaction, partition, 17, 6); });
      EXPECT_TRUE(exists(transaction, partition, 17));
    }
  });
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

TEST_P(Inserts, ScansTellTheKeysInOrder) {
  TransactionCluster cluster(options_for(GetParam(), 1));
  cluster.run_on(0, [](Transaction& transaction) {
    for (const PartitionId partition : {PartitionId{0}, PartitionId{2}}) {
      retry(transaction, [&] { return insert(transaction, partition, 12, 1); });
      retry(transaction, [&] { return erase(transaction, partition, 4); });
      std::vector<Key> keys;
      retry(transaction, [&] {
        transaction.begin(Transaction::Kind::kReadOnly);
        transaction.scan(item_range(partition, 2, kKeys), 5, keys);
        return transaction.commit();
      });
      EXPECT_EQ(keys, (std::vector<Key>{2, 3, 5, 6, 7}));
      retry(transaction, [&] {
        transaction.begin(Transaction::Kind::kReadOnly);
        transaction.scan({.table = kItems,
                          .partition = partition,
                          .first = 3,
                          .last = kKeys,
                          .descending = true},
                         20, keys);
        return transaction.commit();
      });
      EXPECT_EQ(keys, (std::vector<Key>{12, 9, 8, 7, 6, 5, 3}));
    }
  });
}

// Inserts what is not there, or erases what is, and counts.
bool toggle(Transaction& transaction, PartitionId partition, Key key) {
  transaction.begin();
  const auto item = transaction.want(kItems, partition, key, Intent::kInsert);
  const auto counter = transaction.want(kCounters, partition, 0, Intent::kUpdate);
  if (!transaction.fetch()) return transaction.commit();
  if (transaction.found(item)) {
    transaction.erase(item);
    transaction.update<std::uint64_t>(counter) -= 1;
  } else {
    transaction.create<std::uint64_t>(item) = key;
    transaction.update<std::uint64_t>(counter) += 1;
  }
  return transaction.commit();
}

// A transaction that sees the whole partition sees as many items as its counter says.
bool count_items(Transaction& transaction, PartitionId partition, bool by_scan) {
  transaction.begin(Transaction::Kind::kReadOnly);
  const auto counter = transaction.want(kCounters, partition, 0);
  std::vector<Key> keys;
  if (by_scan) {
    if (!transaction.fetch()) return transaction.commit();
    if (!transaction.scan(item_range(partition, 0, kKeys), kKeys + 1, keys)) {
      return transaction.commit();
    }
  } else {
    keys.resize(kKeys);
    std::iota(keys.begin(), keys.end(), Key{0});
  }
  std::vector<Transaction::Handle> items;
  items.reserve(keys.size());
  for (const Key key : keys) items.push_back(transaction.want(kItems, partition, key));
  if (!transaction.fetch()) return transaction.commit();
  std::uint64_t found = 0;
  for (const auto item : items) found += transaction.found(item) ? 1 : 0;
  const std::uint64_t counted = transaction.value<std::uint64_t>(counter);
  if (!transaction.commit()) return false;
  EXPECT_EQ(found, counted) << "partition " << partition << (by_scan ? " by scan" : " by keys");
  return true;
}

TEST_P(Inserts, NobodySeesPhantoms) {
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    TransactionCluster cluster(options_for(GetParam(), seed));
    cluster.run([&](Transaction& transaction, const Place& place) {
      Random random(seed, place.node, place.worker, place.fiber);
      for (int round = 0; round < by_fabric(25, 4); ++round) {
        const auto partition = static_cast<PartitionId>(random.below(3));
        const Key key = random.below(kKeys);
        const std::uint64_t choice = random.below(4);
        TransactionCluster::until_committed(transaction, random, [&] {
          return choice < 2 ? toggle(transaction, partition, key)
                            : count_items(transaction, partition, choice == 2);
        });
      }
    });
    ASSERT_EQ(cluster.inconsistency(), std::nullopt) << "seed " << seed;
    ASSERT_EQ(violation_text(strict_serializability_violation(cluster.history())), "")
        << "seed " << seed;
    for (PartitionId partition = 0; partition < 3; ++partition) {
      std::uint64_t present = 0;
      for (Key key = 0; key < kKeys; ++key) {
        const auto entry = cluster.holder(partition).store().find_at_rest(0, kItems, key);
        if (!entry) continue;
        const std::byte* live = cluster.live({kItems, partition, key});
        present += absent(load_word(live + kVersionOffset)) ? 0 : 1;
      }
      EXPECT_EQ(present, cluster.word({kCounters, partition, 0})) << "seed " << seed;
    }
  }
}

// Two transactions that have no record in common: each inserts where the other looks, if it finds
// nothing where it looks itself. Only one of the two may.
class Skew {
 public:
  Skew(PartitionId looks_at, PartitionId inserts_at, bool by_scan)
      : looks_at_(looks_at), inserts_at_(inserts_at), by_scan_(by_scan) {}

  // True if this one has inserted.
  bool run(Transaction& transaction, Key key) const {
    for (;;) {
      transaction.begin();
      bool empty = true;
      if (by_scan_) {
        std::vector<Key> keys;
        transaction.scan(item_range(looks_at_, key, key), 1, keys);
        empty = keys.empty();
      } else {
        const auto other = transaction.want(kItems, looks_at_, key);
        if (transaction.fetch()) empty = !transaction.found(other);
      }
      transaction.wait(kMicrosecond);
      if (!transaction.cause() && empty) {
        const auto item = transaction.want(kItems, inserts_at_, key, Intent::kInsert);
        if (transaction.fetch() && !transaction.found(item)) {
          transaction.create<std::uint64_t>(item) = key;
        }
      }
      if (transaction.commit()) return empty;
      transaction.wait(20 * kMicrosecond * (1 + inserts_at_));
    }
  }

 private:
  PartitionId looks_at_;
  PartitionId inserts_at_;
  bool by_scan_;
};

// In how many of `rounds` pairs both have inserted.
int both_inserted(const Variant& variant, bool by_scan, int rounds) {
  ClusterOptions options = options_for(variant, 1);
  options.fibers = 1;
  TransactionCluster cluster(options);
  std::vector<std::array<bool, 2>> inserted(static_cast<std::size_t>(rounds));
  cluster.run([&](Transaction& transaction, const Place& place) {
    if (place.node > 1 || place.worker > 0) return;
    const auto other = static_cast<PartitionId>(1 - place.node);
    for (int round = 0; round < rounds; ++round) {
      const Key key = kKeys + static_cast<Key>(round);
      // Node 0 looks at node 1's partition and inserts into its own, and the other way round; in
      // every other round they insert into each other's.
      const bool crosswise = round % 2 == 1;
      const Skew skew(crosswise ? place.home() : other, crosswise ? other : place.home(), by_scan);
      inserted[static_cast<std::size_t>(round)][place.node] = skew.run(transaction, key);
    }
  });
  int both = 0;
  for (const auto& pair : inserted) both += pair[0] && pair[1] ? 1 : 0;
  return both;
}

TEST_P(Inserts, WhatWasAbsentStaysSoUntilTheCommit) {
  constexpr int kRounds = 100;
  for (const bool by_scan : {false, true}) {
    EXPECT_EQ(both_inserted(GetParam(), by_scan, by_fabric(kRounds, 10)), 0)
        << (by_scan ? "by scan" : "by key");
  }
}

TEST(Phantoms, LetBothInsertWhenAbsenceIsNotValidated) {
  if (testing::on_hardware()) GTEST_SKIP() << "whether conflicts happen there is up to chance";
  for (const bool by_scan : {false, true}) {
    int both = 0;
    for (Variant variant : variants()) {
      variant.change = [](Plan& plan) { plan.skip_absence_validation_for_test = true; };
      both += both_inserted(variant, by_scan, 100);
    }
    EXPECT_GT(both, 0) << (by_scan ? "by scan" : "by key");
  }
}

TEST(Phantoms, AreSeenWhenValidationIsLeftOut) {
  if (testing::on_hardware()) GTEST_SKIP() << "whether conflicts happen there is up to chance";
  // Without validation the counts must disagree somewhere: NobodySeesPhantoms rests on that.
  std::uint64_t differences = 0;
  for (std::uint64_t seed = 1; seed <= 20 && differences == 0; ++seed) {
    Variant variant = variants().front();
    variant.change = [](Plan& plan) { plan.skip_validation_for_test = true; };
    TransactionCluster cluster(options_for(variant, seed));
    cluster.run([&](Transaction& transaction, const Place& place) {
      Random random(seed, place.node, place.worker, place.fiber);
      for (int round = 0; round < 20; ++round) {
        const Key key = random.below(kKeys);
        if (place.fiber > 0) {
          toggle(transaction, 0, key);
          continue;
        }
        transaction.begin(Transaction::Kind::kReadOnly);
        const auto counter = transaction.want(kCounters, 0, 0);
        std::vector<Key> keys;
        const bool read =
            transaction.fetch() && transaction.scan(item_range(0, 0, kKeys), kKeys + 1, keys);
        if (!transaction.commit() || !read) continue;
        differences += transaction.value<std::uint64_t>(counter) != keys.size() ? 1 : 0;
      }
    });
  }
  EXPECT_GT(differences, 0U);
}

}  // namespace
}  // namespace verbena::txn::occ
