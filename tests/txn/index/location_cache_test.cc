// The location cache: what it remembers, how it grows, and that it stays within its cap.
#include "txn/index/location_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "rdma/base/random.h"

namespace verbena::txn {
namespace {

RecordName name_of(std::uint64_t i) {
  return {.table = static_cast<TableId>(i % 3),
          .partition = static_cast<PartitionId>(i / 3 % 5),
          .key = i / 15};
}

TEST(LocationCache, KnowsWhatItWasToldAndNothingElse) {
  LocationCache cache(1 << 20);
  cache.insert({.table = 1, .partition = 2, .key = 3}, 77);
  EXPECT_EQ(cache.find({.table = 1, .partition = 2, .key = 3}), 77U);
  EXPECT_FALSE(cache.find({.table = 2, .partition = 2, .key = 3}));
  EXPECT_FALSE(cache.find({.table = 1, .partition = 1, .key = 3}));
  EXPECT_FALSE(cache.find({.table = 1, .partition = 2, .key = 4}));
}

TEST(LocationCache, ForgetsAndReplaces) {
  LocationCache cache(1 << 20);
  const RecordName name{.table = 0, .partition = 0, .key = 5};
  cache.insert(name, 1);
  cache.insert(name, 0);
  EXPECT_EQ(cache.find(name), 0U);
  cache.erase(name);
  EXPECT_FALSE(cache.find(name));
}

TEST(LocationCache, GrowsWithUseAndKeepsWhatIsUsed) {
  LocationCache cache(64 << 20);
  const std::uint64_t empty = cache.bytes();
  EXPECT_LE(empty, 16U << 10);
  constexpr std::uint64_t kRecords = 100'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    cache.insert(name_of(i), static_cast<std::uint32_t>(i));
    cache.find(name_of(i % 100));
  }
  EXPECT_GT(cache.bytes(), kRecords * 8);
  EXPECT_LT(cache.bytes(), kRecords * 8 * 12);
  std::uint64_t in_use = 0;
  for (std::uint64_t i = 0; i < 100; ++i) in_use += cache.find(name_of(i)) == i ? 1 : 0;
  EXPECT_GE(in_use, 95U);
  std::uint64_t known = 0;
  for (std::uint64_t i = kRecords / 2; i < kRecords; ++i)
    known += cache.find(name_of(i)) == i ? 1 : 0;
  EXPECT_GT(known, kRecords / 2 * 95 / 100);
}

TEST(LocationCache, StaysWithinItsCap) {
  constexpr std::uint64_t kCap = 256 << 10;
  LocationCache cache(kCap);
  for (std::uint64_t i = 0; i < 200'000; ++i)
    cache.insert(name_of(i), static_cast<std::uint32_t>(i));
  EXPECT_LE(cache.bytes(), kCap + kCap / 2);
  std::uint64_t known = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const auto found = cache.find(name_of(i));
    EXPECT_EQ(found.value_or(i), i);
    known += found ? 1 : 0;
  }
  EXPECT_GT(known, kCap / 8 / 2);
}

TEST(LocationCache, KnowsInitialRecordsWithoutTakingPlaceForThem) {
  LocationCache cache(1 << 20);
  const std::vector<KeyLevel> levels{{100, 32}, {1000, 4}};
  cache.prefill(2, KeyShape(100'000, levels), 60'000);
  const std::uint64_t empty = cache.bytes();
  auto name = [](Key key) { return RecordName{.table = 2, .partition = 3, .key = key}; };
  for (Key d = 0; d < 60; ++d) {
    for (Key o = 0; o < 1000; ++o) EXPECT_EQ(cache.find(name(d << 32 | o << 4)), d * 1000 + o);
  }
  EXPECT_FALSE(cache.find(name(Key{60} << 32))) << "not among those known";
  EXPECT_FALSE(cache.find(name(1))) << "no initial key";
  EXPECT_FALSE(cache.find({.table = 1, .partition = 3, .key = 0}));
  cache.insert(name(Key{7} << 32), 7000);
  EXPECT_EQ(cache.bytes(), empty);
}

TEST(LocationCache, LearnsWhereInitialRecordsHaveGone) {
  LocationCache cache(1 << 20);
  cache.prefill(0, KeyShape(100, {}), 100);
  const RecordName erased{.table = 0, .partition = 0, .key = 5};
  const RecordName moved{.table = 0, .partition = 0, .key = 6};
  const RecordName other_partition{.table = 0, .partition = 1, .key = 6};
  cache.erase(erased);
  cache.insert(moved, 200);
  EXPECT_FALSE(cache.find(erased));
  EXPECT_EQ(cache.find(moved), 200U);
  EXPECT_EQ(cache.find(other_partition), 6U);
  cache.insert(erased, 5);
  cache.insert(moved, 6);
  EXPECT_EQ(cache.find(erased), 5U);
  EXPECT_EQ(cache.find(moved), 6U);
}

TEST(LocationCache, TakesSeveralThreads) {
  LocationCache cache(16 << 20);
  auto work = [&](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t record = random.below(20'000);
      const auto found = cache.find(name_of(record));
      if (found) {
        ASSERT_EQ(*found, record);
      } else {
        cache.insert(name_of(record), static_cast<std::uint32_t>(record));
      }
    }
  };
  std::jthread first(work, 1);
  std::jthread second(work, 2);
  std::uint64_t bytes = cache.bytes();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = cache.bytes();
    EXPECT_GE(now, bytes);
    bytes = now;
  }
  work(3);
}

}  // namespace
}  // namespace verbena::txn
