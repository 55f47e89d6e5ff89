// The keys of initial records: their order, and from index to key and back.
#include "txn/schema/key_shape.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "rdma/base/random.h"
#include "txn/schema/table.h"

namespace verbena::txn {
namespace {

// Up to four levels with gaps between the digits, some of them of one key only.
std::vector<KeyLevel> random_levels(Random& random) {
  std::vector<KeyLevel> levels;
  auto shift = static_cast<unsigned>(random.below(4));
  for (std::uint64_t i = random.below(KeyShape::kMaxLevels + 1); i > 0; --i) {
    const std::uint64_t count = 1 + random.below(9);
    levels.insert(levels.begin(), {.count = count, .shift = shift});
    shift += static_cast<unsigned>(std::bit_width(count) + random.below(3));
  }
  return levels;
}

KeyShape shape_of(const std::vector<KeyLevel>& levels) {
  std::uint64_t count = 1;
  for (const KeyLevel& level : levels) count *= level.count;
  return {levels.empty() ? 100 : count, levels};
}

RC_GTEST_PROP(KeyShape, KeysAscendAndAreInvertible, (std::uint64_t seed)) {
  Random random(seed);
  const KeyShape shape = shape_of(random_levels(random));
  for (std::uint64_t i = 0; i < shape.count(); ++i) {
    const Key key = shape.key_of(i);
    RC_ASSERT(shape.index_of(key) == i);
    RC_ASSERT(i == 0 || shape.key_of(i - 1) < key);
  }
}

RC_GTEST_PROP(KeyShape, RankCountsTheKeysBelowAnyKey, (std::uint64_t seed)) {
  Random random(seed);
  const KeyShape shape = shape_of(random_levels(random));
  std::vector<Key> keys(shape.count());
  for (std::uint64_t i = 0; i < shape.count(); ++i) keys[i] = shape.key_of(i);
  for (int i = 0; i < 100; ++i) {
    const Key key = random.below(4) == 0 ? random.next() : random.below(keys.back() + 3);
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    RC_ASSERT(shape.rank(key) == static_cast<std::uint64_t>(at - keys.begin()));
    const bool initial = at != keys.end() && *at == key;
    RC_ASSERT((shape.index_of(key) != KeyShape::kNoIndex) == initial);
  }
}

TEST(KeyShape, OrderLinesAreNamedByDistrictOrderAndLine) {
  const TableDefinition lines{.name = "order lines",
                              .initial_records = 30 * 3000 * 10,
                              .key_levels = {{30, 40}, {3000, 8}, {10, 0}}};
  EXPECT_EQ(lines.initial_key(0), 0U);
  EXPECT_EQ(lines.initial_key(10), Key{1} << 8);
  EXPECT_EQ(lines.initial_key(2 * 30'000 + 17 * 10 + 9), Key{2} << 40 | 17 << 8 | 9);
  EXPECT_EQ(lines.initial_index(Key{2} << 40 | 17 << 8 | 9), 2U * 30'000 + 17 * 10 + 9);
  EXPECT_FALSE(lines.initial_index(Key{2} << 40 | 17 << 8 | 10));
  EXPECT_FALSE(lines.initial_index(Key{30} << 40));
}

TEST(KeyShape, ATableWithoutInitialRecordsHasNoInitialKeys) {
  const TableDefinition history{.name = "history", .insert_capacity = 10};
  EXPECT_FALSE(history.initial_index(0));
  const std::vector<KeyLevel> none{{3, 8}, {0, 0}};
  const KeyShape shape(0, none);
  EXPECT_EQ(shape.index_of(1 << 8), KeyShape::kNoIndex);
  EXPECT_EQ(shape.rank(kNoKey), 0U);
}

}  // namespace
}  // namespace verbena::txn
