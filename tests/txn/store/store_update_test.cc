// Records that come and go: reservations, erasing, entries that are used again, and the same from
// logs in any order.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "tests/txn/store/store_fixture.h"

namespace verbena::txn {
namespace {

constexpr std::uint64_t kOwner = 0x5005;
constexpr std::array<std::byte, 100> kPayload{};

Schema one_table(std::uint64_t initial, std::uint64_t inserts, std::uint32_t payload = 8) {
  return {{.name = "records",
           .payload_bytes = payload,
           .initial_records = initial,
           .insert_capacity = inserts,
           .load = {}}};
}

std::uint64_t lock_of(Store& store, std::uint32_t entry) {
  return load_word(store.record(0, 0, entry) + kLockOffset);
}
std::uint64_t version_of(Store& store, CopyId copy, std::uint32_t entry) {
  return load_word(store.record(copy, 0, entry) + kVersionOffset);
}

TEST(Versions, CountChangesAndTellWhetherARecordIsThere) {
  EXPECT_TRUE(absent(0));
  EXPECT_EQ(next_version(0, true), kInitialVersion);
  EXPECT_FALSE(absent(kInitialVersion));
  const std::uint64_t erased = next_version(kInitialVersion, false);
  EXPECT_TRUE(absent(erased));
  EXPECT_EQ(change_count(erased), 2U);
  EXPECT_EQ(next_version(erased, true), 3U);
}

TEST(Reserve, ANewRecordIsAbsentAndLockedBeforeAnybodyFindsIt) {
  NodeStore node(one_table(10, 10), {.nodes = 1, .replicas = 1}, 0);
  const Store::Reservation reserved = node.store.reserve(0, 500, kOwner, nullptr);
  EXPECT_EQ(reserved.entry, 10U);
  EXPECT_TRUE(reserved.locked);
  EXPECT_TRUE(absent(reserved.version));
  EXPECT_EQ(node.store.find_at_rest(0, 0, 500), 10U);
  EXPECT_EQ(lock_of(node.store, 10), kOwner);
  std::uint64_t version = 7;
  Key key = 0;
  std::array<std::byte, 8> payload{};
  EXPECT_FALSE(node.store.read(0, 0, 10, version, key, payload.data(), nullptr)) << "locked";
  shared_word(node.store.record(0, 0, 10)).store(kUnlocked);
  ASSERT_TRUE(node.store.read(0, 0, 10, version, key, payload.data(), nullptr));
  EXPECT_TRUE(absent(version));
  EXPECT_EQ(key, 500U);
}

TEST(Reserve, WithoutAnOwnerANewRecordIsFree) {
  NodeStore node(one_table(10, 10), {.nodes = 1, .replicas = 1}, 0);
  const Store::Reservation reserved = node.store.reserve(0, 500, 0, nullptr);
  EXPECT_FALSE(reserved.locked);
  EXPECT_EQ(lock_of(node.store, reserved.entry), kUnlocked);
}

TEST(Reserve, WhatExistsIsReturnedAsItIs) {
  NodeStore node(one_table(10, 10), {.nodes = 1, .replicas = 1}, 0);
  const Store::Reservation initial = node.store.reserve(0, 4, kOwner, nullptr);
  EXPECT_EQ(initial.entry, 4U);
  EXPECT_EQ(initial.version, kInitialVersion);
  EXPECT_FALSE(initial.locked);
  EXPECT_EQ(lock_of(node.store, 4), kUnlocked);
  node.store.reserve(0, 500, kOwner, nullptr);
  const Store::Reservation again = node.store.reserve(0, 500, kOwner + 1, nullptr);
  EXPECT_EQ(again.entry, 10U);
  EXPECT_FALSE(again.locked) << "another's placeholder";
  EXPECT_EQ(lock_of(node.store, 10), kOwner);
}

TEST(Unindex, TheEntryIsUsedAgainOnceTheEraserIsDone) {
  NodeStore node(one_table(3, 10, 100), {.nodes = 1, .replicas = 1}, 0);
  const std::uint64_t erased = next_version(kInitialVersion, false);
  shared_word(node.store.record(0, 0, 1)).store(kOwner);
  node.store.unindex(0, 1, 1, erased, nullptr);
  EXPECT_FALSE(node.store.find_at_rest(0, 0, 1));
  EXPECT_EQ(node.store.reserve(0, 100, 0, nullptr).entry, 3U)
      << "version and lock are the record's still";
  node.layout.table(0).format.write_live(node.store.record(0, 0, 1), erased, 1, kPayload.data());
  EXPECT_EQ(node.store.reserve(0, 101, 0, nullptr).entry, 4U) << "locked still";
  shared_word(node.store.record(0, 0, 1)).store(kUnlocked);
  const Store::Reservation reused = node.store.reserve(0, 102, kOwner, nullptr);
  EXPECT_EQ(reused.entry, 1U);
  EXPECT_FALSE(reused.locked) << "peers may try the lock";
  EXPECT_TRUE(absent(reused.version));
  EXPECT_EQ(change_count(reused.version), 3U);
  EXPECT_TRUE(node.layout.table(0).format.untorn(node.store.record(0, 0, 1)));
  EXPECT_EQ(load_word(node.store.record(0, 0, 1) + kKeyOffset), 102U);
  EXPECT_EQ(node.store.find_at_rest(0, 0, 102), 1U);
  EXPECT_EQ(node.store.used_entries(0, 0), 5U);
}

TEST(Unindex, AKeyThatIsNotThereIsAMistake) {
  NodeStore node(one_table(3, 10), {.nodes = 1, .replicas = 1}, 0);
  EXPECT_THROW(node.store.unindex(0, 2, 1, kAbsent | 5, nullptr), std::logic_error);
  erase_record(node.store, 0, 2);
  EXPECT_THROW(node.store.unindex(0, 2, 2, kAbsent | 5, nullptr), std::logic_error);
}

TEST(Unindex, AFullTableTakesWhatEverIsFree) {
  NodeStore node(one_table(6, 0), {.nodes = 1, .replicas = 1}, 0);
  for (Key key = 0; key < 5; ++key)
    node.store.unindex(0, key, static_cast<std::uint32_t>(key), kAbsent | 9, nullptr);
  EXPECT_THROW(node.store.reserve(0, 100, 0, nullptr), ConfigurationError) << "none is done";
  write_record(node.store, 0, 4, 4, kAbsent | 9, kPayload);
  EXPECT_EQ(node.store.reserve(0, 100, 0, nullptr).entry, 4U);
  EXPECT_EQ(node.store.find_at_rest(0, 0, 100), 4U);
}

RC_GTEST_PROP(Store, BehavesLikeAMapUnderInsertsAndErasures, (std::uint64_t seed)) {
  Random random(seed);
  const std::uint64_t initial = random.below(40);
  const std::uint64_t capacity = 60;
  NodeStore node(one_table(initial, capacity), {.nodes = 1, .replicas = 1}, 0);
  std::map<Key, std::uint64_t> model;
  for (Key key = 0; key < initial; ++key) model[key] = 0;
  for (int i = 0; i < 500; ++i) {
    const Key key = random.below(2) == 0 ? random.below(80) : random.below(4) << 40;
    if (model.contains(key)) {
      erase_record(node.store, 0, key);
      model.erase(key);
    } else if (model.size() < initial + capacity) {
      const std::array<std::uint64_t, 1> value{random.next()};
      insert_record(node.store, 0, key, std::as_bytes(std::span(value)));
      model[key] = value[0];
    }
  }
  for (Key key = 0; key < 80; ++key) {
    const auto entry = node.store.find_at_rest(0, 0, key);
    RC_ASSERT(entry.has_value() == model.contains(key));
    if (!entry) continue;
    const std::byte* live = node.store.record(0, 0, *entry);
    RC_ASSERT(load_word(live + kKeyOffset) == key);
    RC_ASSERT(load_word(live + kRecordHeaderBytes) == model[key]);
    RC_ASSERT(!absent(load_word(live + kVersionOffset)));
  }
  RC_ASSERT(node.store.used_entries(0, 0) <= initial + capacity);
}

struct LoggedUpdate {
  std::uint32_t entry;
  Key key;
  std::uint64_t version;
};

void apply(Store& store, const LoggedUpdate& update) {
  const std::array<std::uint64_t, 1> value{update.version * 1000 + update.entry};
  store.apply(1, 0, update.entry, update.key, update.version,
              std::as_bytes(std::span(value)).data(), nullptr);
}

// Expects what a backup must hold when all of `history`, which happened in this order, has come.
void expect_truth(Store& store, const std::vector<LoggedUpdate>& history, std::uint64_t initial) {
  std::map<std::uint32_t, LoggedUpdate> entries;
  for (std::uint32_t entry = 0; entry < initial; ++entry) {
    entries[entry] = {.entry = entry, .key = entry, .version = kInitialVersion};
  }
  for (const LoggedUpdate& update : history) entries[update.entry] = update;
  std::map<Key, std::uint32_t> index;
  for (const auto& [entry, last] : entries) {
    if (!absent(last.version)) index[last.key] = entry;
    EXPECT_EQ(version_of(store, 1, entry), last.version) << "entry " << entry;
    EXPECT_LT(entry, store.used_entries(1, 0));
  }
  std::vector<Key> keys{0, 1, 2, 100, 101, 102};
  for (const LoggedUpdate& update : history) keys.push_back(update.key);
  for (const Key key : keys) {
    const auto found = store.find_at_rest(1, 0, key);
    EXPECT_EQ(found.has_value(), index.contains(key)) << "key " << key;
    if (found && index.contains(key)) {
      EXPECT_EQ(*found, index[key]) << "key " << key;
    }
  }
}

// Applies `history` in every order, each time to a new store.
void expect_truth_in_all_orders(const std::vector<LoggedUpdate>& history, std::uint64_t initial) {
  std::vector<std::size_t> order(history.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    NodeStore node(one_table(initial, 20), {.nodes = 2, .replicas = 2}, 0);
    for (const std::size_t i : order) apply(node.store, history[i]);
    expect_truth(node.store, history, initial);
    if (testing::Test::HasFailure()) return;
  } while (std::next_permutation(order.begin(), order.end()));
}

constexpr std::uint64_t gone(std::uint64_t count) { return count | kAbsent; }

TEST(Apply, AnInsertAndItsErasureInAnyOrder) {
  expect_truth_in_all_orders({{3, 100, 1}, {3, 100, gone(2)}}, 3);
  expect_truth_in_all_orders({{1, 1, gone(2)}, {1, 1, 4}}, 3);
}

TEST(Apply, AKeyThatMovesToAnotherEntryInAnyOrder) {
  expect_truth_in_all_orders({{3, 100, 1}, {3, 100, gone(2)}, {4, 100, 1}, {4, 100, 2}}, 3);
  expect_truth_in_all_orders({{0, 0, gone(2)}, {3, 0, 1}, {3, 0, gone(2)}, {0, 0, 4}}, 3);
}

TEST(Apply, TwoEntriesThatChangeKeysInAnyOrder) {
  expect_truth_in_all_orders(
      {{1, 1, 2}, {1, 1, gone(3)}, {2, 2, gone(2)}, {1, 2, 5}, {2, 1, 4}, {2, 1, gone(5)}}, 3);
  expect_truth_in_all_orders(
      {{3, 100, 1}, {3, 100, gone(2)}, {3, 101, 4}, {4, 100, 1}, {3, 101, gone(5)}, {3, 102, 7}},
      3);
}

// Histories as a primary makes them, which come in disorder and some of them twice.
RC_GTEST_PROP(Apply, AnyHistoryInAnyOrder, (std::uint64_t seed)) {
  Random random(seed);
  constexpr std::uint64_t kInitial = 3;
  NodeStore primary(one_table(kInitial, 20), {.nodes = 2, .replicas = 2}, 1);
  std::vector<LoggedUpdate> history;
  for (int i = 0; i < 25; ++i) {
    const Key key = random.below(2) == 0 ? random.below(kInitial) : 100 + random.below(3);
    const auto found = primary.store.find_at_rest(0, 0, key);
    if (found && random.below(2) == 0) {
      erase_record(primary.store, 0, key);
      history.push_back({*found, key, version_of(primary.store, 0, *found)});
    } else {
      const std::uint32_t entry = insert_record(primary.store, 0, key, kPayload);
      history.push_back({entry, key, version_of(primary.store, 0, entry)});
    }
  }
  std::vector<LoggedUpdate> arriving = history;
  for (std::size_t i = 0; i < 5; ++i) arriving.push_back(history[random.below(history.size())]);
  for (std::size_t i = arriving.size(); i > 1; --i) {
    std::swap(arriving[i - 1], arriving[random.below(i)]);
  }
  NodeStore backup(one_table(kInitial, 20), {.nodes = 2, .replicas = 2}, 0);
  for (const LoggedUpdate& update : arriving) apply(backup.store, update);
  expect_truth(backup.store, history, kInitial);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Store, TakesInsertsAndErasuresFromSeveralThreads) {
  constexpr Key kKeys = 2000;
  NodeStore node(one_table(100, kKeys + 100), {.nodes = 2, .replicas = 2}, 0);
  node.memory.fill_all(1);
  auto work = [&](Key first) {
    YieldingCore core;
    for (int round = 0; round < 3; ++round) {
      for (Key key = first; key < kKeys; key += 2) {
        insert_record(node.store, 0, 1000 + key, kPayload, &core);
        ASSERT_TRUE(node.store.find(0, 0, 1000 + key, core));
        if (key % 4 < 2 || round < 2) erase_record(node.store, 0, 1000 + key, &core);
      }
    }
  };
  auto look = [&] {
    YieldingCore core;
    for (int round = 0; round < 20; ++round) {
      for (Key key = 0; key < 100; ++key) ASSERT_EQ(node.store.find(0, 0, key, core), key);
    }
  };
  {
    std::jthread first(work, 0);
    std::jthread second(work, 1);
    look();
  }
  for (Key key = 0; key < kKeys; ++key) {
    const auto entry = node.store.find_at_rest(0, 0, 1000 + key);
    ASSERT_EQ(entry.has_value(), key % 4 >= 2) << key;
    if (entry) {
      EXPECT_EQ(load_word(node.store.record(0, 0, *entry) + kKeyOffset), 1000 + key);
    }
  }
  EXPECT_LT(node.store.used_entries(0, 0), 100 + kKeys / 2 + 100) << "entries are used again";
}

}  // namespace
}  // namespace verbena::txn
