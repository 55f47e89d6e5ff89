// Rest of a range of keys, behind a piece of it.
#include "txn/rest_of_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn {
namespace {

// The keys by which pieces of `length` keys reach through the range.
std::vector<Key> reached(KeyRange range, Key length) {
  std::vector<Key> keys;
  do {
    const Key step = std::min(range.last - range.first, length - 1);
    keys.push_back(range.descending ? range.last - step : range.first + step);
  } while (go_on_behind(range, keys.back()));
  return keys;
}

TEST(RestOfRange, BeginsBehindTheLastKeyOfAPiece) {
  EXPECT_EQ(reached({.first = 3, .last = 9}, 3), (std::vector<Key>{5, 8, 9}));
  EXPECT_EQ(reached({.first = 3, .last = 8}, 3), (std::vector<Key>{5, 8}));
}

TEST(RestOfRange, GoesDownWhereTheHighestKeysComeFirst) {
  EXPECT_EQ(reached({.first = 3, .last = 9, .descending = true}, 3), (std::vector<Key>{7, 4, 3}));
}

TEST(RestOfRange, EndsAtTheEndsOfAllKeys) {
  constexpr Key kHighest = ~Key{0};
  EXPECT_EQ(reached({.first = kHighest - 1, .last = kHighest}, 2), (std::vector<Key>{kHighest}));
  EXPECT_EQ(reached({.first = 0, .last = 1, .descending = true}, 2), (std::vector<Key>{0}));
}

TEST(RestOfRange, IsLeftAsItIsWhereNothingIsBehind) {
  KeyRange range{.first = 7, .last = 7};
  EXPECT_FALSE(go_on_behind(range, 7));
  EXPECT_EQ(range.first, 7U);
  EXPECT_EQ(range.last, 7U);
}

}  // namespace
}  // namespace verbena::txn
