// Scans and counts of ordered tables.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rdma/base/random.h"
#include "tests/txn/store/store_fixture.h"

namespace verbena::txn {
namespace {

constexpr std::array<std::byte, 8> kPayload{};

// Orders of districts, as order lines or new orders are keyed.
Schema orders(std::uint64_t districts, std::uint64_t initial, std::uint64_t inserts) {
  return {{.name = "orders",
           .payload_bytes = 8,
           .initial_records = districts * initial,
           .insert_capacity = inserts,
           .load = {},
           .key_levels = {{districts, 32}, {initial, 0}},
           .ordered = true},
          {.name = "unordered", .payload_bytes = 8, .initial_records = 10, .load = {}}};
}
constexpr Key key_of(std::uint64_t district, std::uint64_t order) { return district << 32 | order; }

std::vector<Key> scanned(Store& store, Key first, Key last, bool descending,
                         std::size_t most = SIZE_MAX) {
  std::vector<Key> keys;
  store.scan(0, first, last, descending, [&](Key key, std::uint32_t entry) {
    EXPECT_EQ(store.find_at_rest(0, 0, key), entry);
    keys.push_back(key);
    return keys.size() < most;
  });
  return keys;
}

TEST(Scan, SeesWhatIsCommittedOrBeingInserted) {
  NodeStore node(orders(2, 3, 10), {.nodes = 1, .replicas = 1}, 0);
  const Store::Reservation locked = node.store.reserve(0, key_of(0, 3), 77, nullptr);
  EXPECT_TRUE(locked.locked);
  node.store.reserve(0, key_of(0, 4), 0, nullptr);  // its inserter gave up
  insert_record(node.store, 0, key_of(0, 5), kPayload);
  erase_record(node.store, 0, key_of(0, 1));
  const std::vector<Key> expected{0, 2, 3, 5};
  EXPECT_EQ(scanned(node.store, 0, key_of(1, 0) - 1, false), expected);
  EXPECT_EQ(node.store.count(0, 0, key_of(1, 0) - 1), 4U);
  EXPECT_EQ(scanned(node.store, 0, kNoKey, true, 2),
            (std::vector<Key>{key_of(1, 2), key_of(1, 1)}));
}

TEST(Scan, LeavesOutARecordThatIsGoneBeforeItIsReached) {
  NodeStore node(orders(1, 3, 10), {.nodes = 1, .replicas = 1}, 0);
  insert_record(node.store, 0, 10, kPayload);
  insert_record(node.store, 0, 11, kPayload);
  std::vector<Key> keys;
  node.store.scan(0, 5, 20, false, [&](Key key, std::uint32_t) {
    keys.push_back(key);
    if (key == 10) erase_record(node.store, 0, 11);
    return true;
  });
  EXPECT_EQ(keys, (std::vector<Key>{10}));
}

// The oldest order that is left, of a queue that was emptied far.
TEST(Scan, FindsTheEndOfALongQueueInFewProbes) {
  NodeStore node(orders(3, 50'000, 50'000), {.nodes = 1, .replicas = 1}, 0);
  for (Key order = 0; order < 49'000; ++order) {
    insert_record(node.store, 0, key_of(1, 50'000 + order), kPayload);
    erase_record(node.store, 0, key_of(1, order));
  }
  EXPECT_LE(node.store.used_entries(0, 0), 150'002U) << "entries are used again";
  std::uint32_t probes = 0;
  std::vector<Key> keys;
  node.store.scan(
      0, key_of(1, 0), key_of(2, 0) - 1, false,
      [&](Key key, std::uint32_t) {
        keys.push_back(key);
        return false;
      },
      &probes);
  EXPECT_EQ(keys, (std::vector<Key>{key_of(1, 49'000)}));
  EXPECT_LE(probes, 10U);
  EXPECT_EQ(node.store.count(0, 0, kNoKey), 150'000U);
}

TEST(Scan, OfInitialRecordsTouchesNoPage) {
  const Schema schema = orders(1000, 100'000, 10);
  NodeStore node(schema, {.nodes = 1, .replicas = 1}, 0);
  EXPECT_EQ(scanned(node.store, key_of(500, 99'990), key_of(501, 9), false).size(), 20U);
  EXPECT_EQ(node.store.count(0, 0, kNoKey), 100'000'000U);
  const std::uint64_t entries = node.layout.record_offset(0, 0, 0) / 512;
  for (std::uint64_t page = entries; page < node.memory.size() / 512; ++page) {
    ASSERT_FALSE(node.memory.filled(page));
  }
}

TEST(Scan, OfATableWithoutOrderIsAMistake) {
  NodeStore node(orders(1, 3, 10), {.nodes = 1, .replicas = 1}, 0);
  EXPECT_THROW(node.store.count(1, 0, kNoKey), std::logic_error);
}

RC_GTEST_PROP(Scan, BehavesLikeAMap, (std::uint64_t seed)) {
  Random random(seed);
  const std::uint64_t districts = 1 + random.below(40);
  const std::uint64_t initial = 1 + random.below(20);
  NodeStore node(orders(districts, initial, 400), {.nodes = 1, .replicas = 1}, 0);
  std::map<Key, bool> model;
  for (std::uint64_t i = 0; i < districts * initial; ++i)
    model[key_of(i / initial, i % initial)] = true;
  auto random_key = [&] { return key_of(random.below(districts), random.below(2 * initial)); };
  for (int i = 0; i < 500; ++i) {
    const Key key = random_key();
    if (model.contains(key)) {
      erase_record(node.store, 0, key);
      model.erase(key);
    } else {
      insert_record(node.store, 0, key, kPayload);
      model[key] = true;
    }
  }
  for (int i = 0; i < 10; ++i) {
    const Key first = random_key();
    const Key last = random.below(3) == 0 ? kNoKey : random_key();
    std::vector<Key> expected;
    for (const auto& item : model) {
      if (item.first >= first && item.first <= last) expected.push_back(item.first);
    }
    RC_ASSERT(node.store.count(0, first, last) == expected.size());
    RC_ASSERT(scanned(node.store, first, last, false) == expected);
    std::reverse(expected.begin(), expected.end());
    const std::size_t most = 1 + random.below(100);
    expected.resize(std::min(expected.size(), most));
    RC_ASSERT(scanned(node.store, first, last, true, most) == expected);
  }
}

// Threads insert and erase in the same district while another scans it.
TEST(Scan, TakesSeveralThreads) {
  NodeStore node(orders(2, 100, 5000), {.nodes = 1, .replicas = 1}, 0);
  node.memory.fill_all(1);
  auto work = [&](Key thread) {
    YieldingCore core;
    for (Key i = 0; i < 2000; ++i) {
      insert_record(node.store, 0, key_of(1, 1000 + 2 * i + thread), kPayload, &core);
      if (i >= 50) erase_record(node.store, 0, key_of(1, 1000 + 2 * (i - 50) + thread), &core);
    }
  };
  {
    std::jthread first(work, 0);
    std::jthread second(work, 1);
    for (int i = 0; i < 300; ++i) {
      std::vector<Key> keys;
      node.store.scan(0, key_of(1, 0), kNoKey, i % 2 == 0, [&](Key key, std::uint32_t) {
        keys.push_back(key);
        return true;
      });
      ASSERT_GE(keys.size(), 100U);
      if (i % 2 == 0) std::reverse(keys.begin(), keys.end());
      ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
  }
  EXPECT_EQ(node.store.count(0, key_of(1, 0), kNoKey), 200U);
  EXPECT_EQ(scanned(node.store, key_of(1, 100), kNoKey, false).size(), 100U);
}

}  // namespace
}  // namespace verbena::txn
