// The store: initial content computed page by page, look-ups, inserts with chaining, and replaying
// logs.
#include "txn/store/store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "tests/txn/store/store_fixture.h"

namespace verbena::txn {
namespace {

constexpr std::size_t kPage = rdma::FirstTouchMemory::kPageBytes;

Schema two_tables(std::uint64_t initial, std::uint64_t inserts, std::uint32_t payload = 16) {
  auto load = [](PartitionId partition, Key key, std::span<std::byte> bytes) {
    const std::uint64_t value = mix64(key + partition);
    std::memcpy(bytes.data(), &value, std::min<std::size_t>(bytes.size(), 8));
  };
  return {{.name = "first",
           .payload_bytes = payload,
           .initial_records = initial,
           .insert_capacity = inserts,
           .load = load},
          {.name = "second",
           .payload_bytes = 200,
           .initial_records = initial / 2 + 1,
           .insert_capacity = 0,
           .load = load}};
}

RC_GTEST_PROP(KeyMix, IsABijectionWithItsInverse, ()) {
  const auto bits = *rc::gen::inRange(1U, 62U);
  const KeyMix mix(bits);
  const std::uint64_t value =
      *rc::gen::arbitrary<std::uint64_t>() & ((std::uint64_t{1} << bits) - 1);
  RC_ASSERT(mix.unmix(mix.mix(value)) == value);
  RC_ASSERT((mix.mix(value) >> bits) == 0U);
}

TEST(KeyMix, IsAPermutationOfASmallRange) {
  for (const unsigned bits : {3U, 7U, 12U}) {
    const KeyMix mix(bits);
    std::set<std::uint64_t> seen;
    for (std::uint64_t value = 0; value < std::uint64_t{1} << bits; ++value)
      seen.insert(mix.mix(value));
    EXPECT_EQ(seen.size(), std::size_t{1} << bits);
  }
}

RC_GTEST_PROP(Store, FindsEveryInitialRecordAndNoOther, ()) {
  const auto initial = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const Schema schema = two_tables(initial, 0);
  NodeStore node(schema, {.nodes = 3, .replicas = 2}, 1);
  for (CopyId copy = 0; copy < 2; ++copy) {
    const PartitionId partition(copy == 0 ? 1 : 0);
    for (Key key = 0; key < initial; ++key) {
      const auto entry = node.store.find_at_rest(copy, 0, key);
      RC_ASSERT(entry && *entry == key);
      std::uint64_t version = 0;
      Key found = 0;
      std::array<std::byte, 16> payload{};
      RC_ASSERT(node.store.read(copy, 0, *entry, version, found, payload.data(), nullptr));
      std::uint64_t value = 0;
      std::memcpy(&value, payload.data(), 8);
      RC_ASSERT(version == kInitialVersion && found == key && value == mix64(key + partition));
    }
    RC_ASSERT(!node.store.find_at_rest(copy, 0, initial));
    RC_ASSERT(!node.store.find_at_rest(copy, 0, kNoKey - 1));
  }
}

RC_GTEST_PROP(Store, BehavesLikeAMapUnderInserts, (std::uint64_t seed)) {
  Random random(seed);
  const std::uint64_t initial = random.below(40);
  const Schema schema = two_tables(initial, 200);
  NodeStore node(schema, {.nodes = 1, .replicas = 1}, 0);
  std::map<Key, std::uint64_t> model;
  for (Key key = 0; key < initial; ++key) model[key] = mix64(key);
  for (int i = 0; i < 200; ++i) {
    const Key key = random.below(2) == 0 ? random.below(100) : random.next() >> 1;
    std::array<std::uint64_t, 2> payload{random.next(), 0};
    const auto found = node.store.find_at_rest(0, 0, key);
    RC_ASSERT(found.has_value() == model.contains(key));
    RC_ASSERT(insert_record(node.store, 0, key, std::as_bytes(std::span(payload))) ==
              found.value_or(static_cast<std::uint32_t>(model.size())));
    model[key] = payload[0];
  }
  for (const auto& [key, value] : model) {
    const auto entry = node.store.find_at_rest(0, 0, key);
    RC_ASSERT(entry.has_value());
    std::uint64_t version = 0;
    Key found = 0;
    std::array<std::uint64_t, 2> payload{};
    RC_ASSERT(node.store.read(0, 0, *entry, version, found,
                              reinterpret_cast<std::byte*>(payload.data()), nullptr));
    RC_ASSERT(found == key && payload[0] == value);
  }
}

// Keys that all belong to one bucket overflow into indirect buckets.
TEST(Store, ChainsBucketsThatOverflow) {
  const Schema schema = two_tables(64, 500);
  NodeStore node(schema, {.nodes = 1, .replicas = 1}, 0);
  const TableLayout& table = node.layout.table(0);
  const std::array<std::byte, 16> payload{};
  std::vector<Key> keys;
  for (Key key = 1000; keys.size() < 60; ++key) {
    if (table.bucket_of(key) == table.bucket_of(1000)) keys.push_back(key);
  }
  for (const Key key : keys) insert_record(node.store, 0, key, payload);
  for (const Key key : keys) EXPECT_TRUE(node.store.find_at_rest(0, 0, key)) << key;
  std::uint32_t probes = 0;
  YieldingCore core;
  node.store.find(0, 0, keys.back(), core, &probes);
  EXPECT_GT(probes, 5U);
}

TEST(Store, SaysWhenATableIsFull) {
  NodeStore node(two_tables(8, 3), {.nodes = 1, .replicas = 1}, 0);
  const std::array<std::byte, 16> payload{};
  for (Key key = 100; key < 103; ++key) insert_record(node.store, 0, key, payload);
  EXPECT_THROW(insert_record(node.store, 0, 103, payload), ConfigurationError);
  EXPECT_EQ(node.store.used_entries(0, 0), 11U);
}

TEST(Store, EveryPageFilledAloneEqualsTheRegionFilledInOrder) {
  const Schema schema = two_tables(700, 10, 100);
  const Placement placement{.nodes = 4, .replicas = 3};
  NodeStore in_order(schema, placement, 2);
  in_order.memory.fill_all(2);
  NodeStore reverse(schema, placement, 2);
  for (std::uint64_t page = reverse.memory.size() / kPage; page-- > 0;) {
    const std::byte* bytes = reverse.memory.at(page * kPage, 1);
    ASSERT_EQ(std::memcmp(bytes, in_order.memory.base() + page * kPage, kPage), 0)
        << "page " << page;
  }
}

TEST(Store, ABigTableCostsNothingUntilTouched) {
  const Schema schema = two_tables(100'000'000, 0);
  NodeStore node(schema, {.nodes = 16, .replicas = 3}, 3);
  EXPECT_TRUE(node.store.find_at_rest(0, 0, 99'999'999));
  std::uint64_t filled = 0;
  for (std::uint64_t page = 0; page < node.memory.size() / kPage; ++page)
    filled += node.memory.filled(page) ? 1 : 0;
  EXPECT_EQ(filled, 0U);
}

TEST(Store, ReplaysUpdatesInAnyOrderToTheHighestVersion) {
  const Schema schema = two_tables(10, 10);
  NodeStore node(schema, {.nodes = 2, .replicas = 2}, 1);
  auto payload = [](std::uint64_t value) { return std::array<std::uint64_t, 2>{value, 0}; };
  auto apply = [&](Key key, std::uint32_t entry, std::uint64_t version) {
    const auto bytes = payload(version * 10);
    return node.store.apply(1, 0, entry, key, version,
                            reinterpret_cast<const std::byte*>(bytes.data()), nullptr);
  };
  EXPECT_EQ(apply(4, 4, 3), Store::Applied::kWritten);
  EXPECT_EQ(apply(4, 4, 2), Store::Applied::kNothing);
  EXPECT_EQ(apply(4, 4, 3), Store::Applied::kNothing);
  EXPECT_EQ(apply(1000, 10, 1), Store::Applied::kIndexed) << "a record that the primary inserted";
  std::uint64_t version = 0;
  Key key = 0;
  std::array<std::uint64_t, 2> read{};
  ASSERT_TRUE(
      node.store.read(1, 0, 4, version, key, reinterpret_cast<std::byte*>(read.data()), nullptr));
  EXPECT_EQ(version, 3U);
  EXPECT_EQ(read[0], 30U);
  EXPECT_EQ(node.store.find_at_rest(1, 0, 1000), 10U);
  EXPECT_FALSE(node.store.find_at_rest(0, 0, 1000)) << "copies are separate";
}

// Records of any length, pages touched at random.
RC_GTEST_PROP(Store, WhatWasTouchedIsFoundWithoutLookingAtTheRest, (std::uint64_t seed)) {
  Random random(seed);
  const auto payload = static_cast<std::uint32_t>(1 + random.below(1500));
  NodeStore node(two_tables(600, 10, payload), {.nodes = 2, .replicas = 2}, 0);
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    node.memory.touch(random.below(node.memory.size()), 1);
  }
  for (const TableId table : {0, 1}) {
    std::uint64_t next = node.store.next_touched(1, table, 0);
    for (std::uint32_t entry = 0; entry < node.store.used_entries(1, table); ++entry) {
      if (node.store.touched(1, table, entry)) RC_ASSERT(next == entry);
      if (next == entry) next = node.store.next_touched(1, table, entry + 1);
    }
    RC_ASSERT(next == node.store.used_entries(1, table));
    const std::uint64_t buckets = node.layout.table(table).buckets;
    std::uint64_t next_bucket = node.store.next_touched_bucket(1, table, 0);
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
      const bool touched = node.memory.filled(node.layout.bucket_offset(1, table, bucket) / kPage);
      RC_ASSERT(touched == (next_bucket == bucket));
      if (touched) next_bucket = node.store.next_touched_bucket(1, table, bucket + 1);
    }
  }
}

TEST(Store, FindingTouchesNothing) {
  NodeStore node(two_tables(5000, 10), {.nodes = 1, .replicas = 1}, 0);
  for (Key key = 0; key < 5010; ++key) {
    EXPECT_EQ(node.store.find_at_rest(0, 0, key).has_value(), key < 5000);
  }
  EXPECT_EQ(node.memory.next_filled(0), node.memory.size() / kPage);
  insert_record(node.store, 0, 9999, std::array<std::byte, 16>{});
  EXPECT_EQ(node.store.find_at_rest(0, 0, 9999), 5000U);
}

// Leaves the bucket that a look-up waits for.
class LeavingCore final : public rdma::Core {
 public:
  explicit LeavingCore(Bucket& bucket) : Core({}), bucket_(bucket) {}
  Nanoseconds now() const override { return 0; }
  void give_way() override {
    if (bucket_.lines[0].version % 2 == 1) ++bucket_.lines[0].version;
  }
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}

 private:
  Bucket& bucket_;
};

TEST(Store, WaitsForWhoIsInABucketOnlyWhereOthersRun) {
  NodeStore node(two_tables(100, 10), {.nodes = 1, .replicas = 1}, 0);
  node.memory.fill_all(1);
  const std::uint64_t number = node.layout.table(0).bucket_of(5);
  auto& bucket = *reinterpret_cast<Bucket*>(
      node.memory.at(node.layout.bucket_offset(0, 0, number), Bucket::kBytes));
  LeavingCore core(bucket);
  ++bucket.lines[0].version;
  EXPECT_THROW(node.store.find_at_rest(0, 0, 5), std::logic_error);
  EXPECT_EQ(node.store.find(0, 0, 5, core), 5U);
  EXPECT_EQ(node.store.find_at_rest(0, 0, 5), 5U);
}

TEST(Store, TakesInsertsAndLookUpsFromSeveralThreads) {
  NodeStore node(two_tables(100, 4000), {.nodes = 1, .replicas = 1}, 0);
  node.memory.fill_all(1);
  auto work = [&](Key base) {
    const std::array<std::byte, 16> payload{};
    YieldingCore core;
    for (Key key = base; key < base + 1000; ++key) {
      insert_record(node.store, 0, key, payload, &core);
      ASSERT_TRUE(node.store.find(0, 0, key % 100, core));
    }
  };
  {
    std::jthread other(work, 10'000);
    work(20'000);
  }
  for (Key key = 10'000; key < 11'000; ++key) ASSERT_TRUE(node.store.find_at_rest(0, 0, key));
  EXPECT_EQ(node.store.used_entries(0, 0), 2100U);
}

TEST(Placement, BackupsFollowTheirPrimaryAroundTheCluster) {
  const Placement placement{.nodes = 5, .replicas = 3};
  EXPECT_EQ(placement.holder(4, 0), 4);
  EXPECT_EQ(placement.holder(4, 2), 1);
  for (PartitionId partition = 0; partition < 5; ++partition) {
    for (CopyId copy = 0; copy < 3; ++copy) {
      EXPECT_EQ(placement.partition_of(placement.holder(partition, copy), copy), partition);
    }
  }
}

RC_GTEST_PROP(Store, FindsInitialRecordsByTheirLevels, (std::uint64_t seed)) {
  Random random(seed);
  const std::uint64_t districts = 1 + random.below(7);
  const std::uint64_t orders = 1 + random.below(40);
  auto load = [](PartitionId, Key key, std::span<std::byte> bytes) {
    std::memcpy(bytes.data(), &key, 8);
  };
  const Schema schema{{.name = "orders",
                       .payload_bytes = static_cast<std::uint32_t>(8 + random.below(100)),
                       .initial_records = districts * orders,
                       .insert_capacity = random.below(50),
                       .load = load,
                       .key_levels = {{districts, 32}, {orders, 4}}}};
  NodeStore node(schema, {.nodes = 1, .replicas = 1}, 0);
  for (std::uint64_t i = 0; i < schema[0].initial_records; ++i) {
    const Key key = (i / orders) << 32 | (i % orders) << 4;
    RC_ASSERT(node.store.find_at_rest(0, 0, key) == i);
    std::uint64_t version = 0;
    Key found = 0;
    std::array<Key, 16> payload{};
    RC_ASSERT(node.store.read(0, 0, static_cast<std::uint32_t>(i), version, found,
                              reinterpret_cast<std::byte*>(payload.data()), nullptr));
    RC_ASSERT(version == kInitialVersion && found == key && payload[0] == key);
    RC_ASSERT(!node.store.find_at_rest(0, 0, key + 1));
  }
  RC_ASSERT(!node.store.find_at_rest(0, 0, districts << 32));
}

// Records that are inserted together lie together, and nearly always in their main bucket.
TEST(Store, InsertedKeysSpreadOverBucketsOfTheirOwn) {
  constexpr std::uint64_t kOrders = 20'000;
  const Schema schema{{.name = "order lines",
                       .initial_records = 100 * 30 * 10,
                       .insert_capacity = kOrders * 10,
                       .load = {},
                       .key_levels = {{100, 40}, {30, 8}, {10, 0}}}};
  NodeStore node(schema, {.nodes = 1, .replicas = 1}, 0);
  const std::array<std::byte, 8> payload{};
  auto key_of = [](std::uint64_t order, Key line) {
    return order % 100 << 40 | (30 + order / 100) << 8 | line;
  };
  for (std::uint64_t order = 0; order < kOrders; ++order) {
    for (Key line = 0; line < 10; ++line)
      insert_record(node.store, 0, key_of(order, line), payload);
  }
  std::uint32_t probes = 0;
  YieldingCore core;
  std::set<std::uint64_t> pages;
  for (std::uint64_t order = 0; order < kOrders; ++order) {
    for (Key line = 0; line < 10; ++line) {
      const Key key = key_of(order, line);
      ASSERT_TRUE(node.store.find(0, 0, key, core, &probes));
      EXPECT_GE(node.layout.table(0).bucket_of(key), node.layout.table(0).initial_buckets);
      if (order == 7) pages.insert(node.layout.table(0).bucket_of(key) / 32);
    }
  }
  EXPECT_LT(probes, kOrders * 10 * 115 / 100);
  EXPECT_LE(pages.size(), 2U);
}

TEST(StoreLayout, RefusesKeyLevelsThatAreNoKeys) {
  auto layout = [](std::uint64_t records, std::vector<KeyLevel> levels) {
    const Schema schema{
        {.name = "t", .initial_records = records, .load = {}, .key_levels = std::move(levels)}};
    return StoreLayout(schema, {.nodes = 1, .replicas = 1}).table(0).entries;
  };
  EXPECT_EQ(layout(12, {{3, 2}, {4, 0}}), 12U);
  EXPECT_THROW(layout(13, {{3, 2}, {4, 0}}), ConfigurationError) << "other number of records";
  EXPECT_THROW(layout(15, {{3, 2}, {5, 0}}), ConfigurationError) << "digits overlap";
  EXPECT_THROW(layout(12, {{4, 0}, {3, 2}}), ConfigurationError) << "shifts rise";
  EXPECT_THROW(layout(2, {{2, 63}}), ConfigurationError) << "not below kNoKey";
  EXPECT_THROW(layout(1, {{1, 5}, {1, 4}, {1, 3}, {1, 2}, {1, 1}}), ConfigurationError);
}

TEST(StoreLayout, RefusesWhatCannotBeLaidOut) {
  EXPECT_THROW(StoreLayout(two_tables(1, 0), {.nodes = 2, .replicas = 3}), ConfigurationError);
  EXPECT_THROW(StoreLayout({}, {.nodes = 1, .replicas = 1}), ConfigurationError);
  EXPECT_THROW(StoreLayout(two_tables(1, 0, 70'000), {.nodes = 1, .replicas = 1}),
               ConfigurationError);
}

}  // namespace
}  // namespace verbena::txn
