// The table from units to places.
#include "rdma/seam/place_table.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace verbena::rdma {
namespace {

constexpr std::uint32_t kMany = 100'000;

// Numbers here and there, of which some are neighbours and the last one is the largest.
std::uint32_t number(std::uint32_t i) { return UINT32_MAX - 1 - (i / 3 * 40'000 + i % 3); }

TEST(PlaceTable, FindsWhatItWasGivenAndNothingElse) {
  PlaceTable places;
  EXPECT_EQ(places.find(0), PlaceTable::kNone);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(places.find(number(i)), PlaceTable::kNone);
    places.insert(number(i), i + 1);
    ASSERT_EQ(places.find(number(i)), i + 1);
  }
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(places.find(number(i)), i + 1);
  for (std::uint32_t i = 0; i < kMany; i += 3) {
    ASSERT_EQ(places.find(number(i) - 3), PlaceTable::kNone);
  }
}

TEST(PlaceTable, CostsAFewBytesForEachNumber) {
  PlaceTable places;
  for (std::uint32_t i = 0; i < kMany; ++i) places.insert(number(i), i + 1);
  EXPECT_LE(places.bytes(), 17 * kMany);
}

}  // namespace
}  // namespace verbena::rdma
