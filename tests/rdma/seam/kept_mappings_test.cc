// Address space that is used again: whoever takes it finds zeros.
#include "rdma/seam/kept_mappings.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "rdma/seam/first_touch_memory.h"
#include "rdma/seam/page_arena.h"

namespace verbena::rdma {
namespace {

constexpr std::size_t kMany = std::size_t{3} << 20;

bool all_zero(const std::byte* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](std::byte byte) { return byte == std::byte{0}; });
}

std::int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(KeptMappings, AreTakenAgainAndZero) {
  KeptMappings mappings;
  std::byte* first = mappings.take(kMany);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(all_zero(first, kMany));
  std::memset(first, 0xEE, kMany);
  mappings.give_back(first, kMany);
  std::byte* again = mappings.take(kMany);
  EXPECT_EQ(again, first);
  EXPECT_TRUE(all_zero(again, kMany));
  mappings.give_back(again, kMany);
}

TEST(KeptMappings, AreTakenAgainWithTheirPages) {
  KeptMappings mappings;
  std::byte* first = mappings.take(kMany);
  std::memset(first, 0xEE, kMany);
  mappings.give_back(first, kMany);
  std::byte* again = mappings.take(kMany);
  const std::int64_t before = page_faults();
  std::memset(again, 0xEE, kMany);
  EXPECT_LT(page_faults() - before, 20) << "of " << kMany / 4096 << " pages";
  mappings.give_back(again, kMany);
}

TEST(KeptMappings, OfAnotherSizeAreOthers) {
  KeptMappings mappings;
  std::byte* first = mappings.take(kMany);
  mappings.give_back(first, kMany);
  std::byte* other = mappings.take(kMany + 4096);
  EXPECT_NE(other, first);
  std::byte* same = mappings.take(kMany);
  EXPECT_EQ(same, first);
  std::byte* second = mappings.take(kMany);
  EXPECT_NE(second, first);
  mappings.give_back(other, kMany + 4096);
  mappings.give_back(same, kMany);
  mappings.give_back(second, kMany);
}

TEST(KeptMappings, CostNothingWhereNobodyTouchedThem) {
  KeptMappings mappings;
  constexpr std::size_t kHuge = std::size_t{64} << 30;
  for (int use = 0; use < 3; ++use) {
    std::byte* huge = mappings.take(kHuge);
    ASSERT_NE(huge, nullptr);
    huge[kHuge / 2] = std::byte{1};
    EXPECT_EQ(huge[kHuge / 2 + 4096], std::byte{0});
    mappings.give_back(huge, kHuge);
  }
}

// Of two that are touched throughout, of more than half of what may be kept, the older one goes.
TEST(KeptMappings, KeepNoMoreThanTheyMay) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kHalf = 16 * kPage;
  KeptMappings mappings(2 * kHalf - kPage);
  std::byte* older = mappings.take(kHalf);
  std::byte* newer = mappings.take(kHalf + kPage);
  std::memset(older, 1, kHalf);
  std::memset(newer, 1, kHalf);
  mappings.give_back(older, kHalf);
  EXPECT_EQ(mappings.touched_bytes(), kHalf);
  mappings.give_back(newer, kHalf + kPage);
  EXPECT_EQ(mappings.touched_bytes(), kHalf);
  EXPECT_EQ(mappings.take(kHalf + kPage), newer);
  EXPECT_EQ(mappings.touched_bytes(), 0U);
  mappings.give_back(newer, kHalf + kPage);
}

TEST(FirstTouchMemoryOfAnArena, BeginsAnewWhateverWasThere) {
  const auto arena = PageArena::reserve();
  const std::byte* base = nullptr;
  for (int use = 0; use < 3; ++use) {
    FirstTouchMemory memory("test", kMany, {}, arena.get());
    if (use == 0) base = memory.base();
    EXPECT_EQ(memory.base(), base);
    ASSERT_TRUE(all_zero(memory.at(0, kMany), kMany));
    std::memset(memory.at(0, kMany), 0xEE, kMany);
  }
}

TEST(FirstTouchMemoryOfAnArena, IsLoadedAnew) {
  const auto arena = PageArena::reserve();
  for (int use = 1; use < 4; ++use) {
    FirstTouchMemory memory(
        "test", kMany,
        [use](std::uint64_t, std::span<std::byte> page) { page[0] = static_cast<std::byte>(use); },
        arena.get());
    for (std::uint64_t page = 0; page < kMany; page += FirstTouchMemory::kPageBytes) {
      ASSERT_FALSE(memory.filled(page / FirstTouchMemory::kPageBytes));
      ASSERT_EQ(*memory.at(page, 1), static_cast<std::byte>(use));
    }
  }
}

}  // namespace
}  // namespace verbena::rdma
