// Memory whose units lie in an arena, side by side.
#include "rdma/seam/page_arena.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::rdma {
namespace {

constexpr std::uint64_t kPage = FirstTouchMemory::kPageBytes;
constexpr std::uint64_t kPages = 1 << 18;
constexpr std::uint64_t kFewPages = 1000;

// Pages one by one, from half on three by three; the last unit is cut off.
std::vector<UnitArea> ones_and_threes(std::uint64_t pages) {
  return {{.begin = 0, .unit_bytes = kPage}, {.begin = pages / 2 * kPage, .unit_bytes = 3 * kPage}};
}

// The first byte of each page tells which it is; the others stay zero.
void number(std::uint64_t offset, std::span<std::byte> unit) {
  for (std::size_t at = 0; at < unit.size(); at += kPage) {
    unit[at] = static_cast<std::byte>(1 + (offset + at) / kPage % 251);
  }
}

std::vector<std::byte> initial(std::uint64_t page) {
  std::vector<std::byte> content(kPage);
  number(page * kPage, content);
  return content;
}

std::vector<std::byte> content(FirstTouchMemory& memory, std::uint64_t page) {
  const std::byte* bytes = memory.at(page * kPage, kPage);
  return {bytes, bytes + kPage};
}

TEST(MemoryInUnits, HoldsItsInitialContentAndThenWhatWasWritten) {
  const auto arena = PageArena::reserve();
  FirstTouchMemory memory("test", kFewPages * kPage, number, arena.get(),
                          ones_and_threes(kFewPages));
  for (std::uint64_t i = 0; i < kFewPages; ++i) {
    const std::uint64_t page = i * 7 % kFewPages;
    ASSERT_EQ(content(memory, page), initial(page)) << page;
    ASSERT_TRUE(memory.filled(page));
    std::memset(memory.at(page * kPage, kPage), static_cast<int>(page % 200), kPage);
  }
  for (std::uint64_t page = 0; page < kFewPages; ++page) {
    ASSERT_EQ(content(memory, page),
              std::vector<std::byte>(kPage, static_cast<std::byte>(page % 200)));
  }
}

TEST(MemoryInUnits, ThePagesOfAUnitLieBehindEachOther) {
  const auto arena = PageArena::reserve();
  FirstTouchMemory memory("test", kFewPages * kPage, number, arena.get(),
                          ones_and_threes(kFewPages));
  const std::uint64_t unit = (kFewPages / 2 + 30) * kPage;
  const std::byte* last = memory.at(unit + 2 * kPage, 1);
  memory.at(0, 1);  // of another unit, between them
  EXPECT_EQ(memory.at(unit, 1), last - 2 * kPage);
  EXPECT_TRUE(memory.holds(unit + kPage)) << "units are filled as a whole";
  EXPECT_FALSE(memory.holds(unit - kPage)) << "nobody has touched it";
  const std::byte* all = memory.at(unit, 3 * kPage);
  EXPECT_EQ(all[0], initial(unit / kPage)[0]);
  EXPECT_EQ(all[kPage], initial(unit / kPage + 1)[0]);
}

TEST(MemoryInUnits, APieceEndsWithItsUnit) {
  const auto arena = PageArena::reserve();
  FirstTouchMemory memory("test", kFewPages * kPage, number, arena.get(),
                          ones_and_threes(kFewPages));
  EXPECT_EQ(memory.piece(kPage - 8, 100).size(), 8U);
  EXPECT_EQ(memory.piece(kPage - 8, 4).size(), 4U);
  const std::uint64_t threes = kFewPages / 2 * kPage;
  EXPECT_EQ(memory.piece(threes + 10, 5 * kPage).size(), 3 * kPage - 10);
  const std::uint64_t last = kFewPages - (kFewPages - kFewPages / 2) % 3;
  EXPECT_EQ(memory.piece(last * kPage, 5 * kPage).size(), (kFewPages - last) * kPage) << "cut off";
}

// Touches 1024 lines, each on a page of its own. Returns the bytes of the arena that this takes.
std::uint64_t bytes_of_lines(PageArena& arena) {
  FirstTouchMemory memory("test", kPages * kPage, {}, &arena,
                          {{.begin = 0, .unit_bytes = kCacheLineBytes}});
  for (std::uint64_t line = 0; line < 1024; ++line) memory.at(line * 4096, kCacheLineBytes);
  EXPECT_TRUE(memory.holds(4096 + kCacheLineBytes - 1));
  EXPECT_TRUE(memory.filled(4096 / kPage));
  EXPECT_EQ(memory.holds(4096 + kCacheLineBytes), arena.least_unit_bytes() == kPage);
  EXPECT_FALSE(memory.filled(4096 / kPage + 1));
  return arena.bytes_in_use();
}

TEST(MemoryInUnits, ATouchedLineTakesALine) {
  const auto arena = PageArena::reserve();
  EXPECT_EQ(bytes_of_lines(*arena), 1024 * kCacheLineBytes);
}

TEST(MemoryInUnits, ATouchedLineTakesThePageThatTheArenaAsksFor) {
  const auto arena = PageArena::reserve();
  arena->set_least_unit_bytes(kPage);
  EXPECT_EQ(bytes_of_lines(*arena), 1024 * kPage);
}

// A log record of two or three units, and another one behind it.
TEST(MemoryInUnits, PiecesOfNeighboursHoldWhatWasWritten) {
  const auto arena = PageArena::reserve();
  FirstTouchMemory memory("test", kPages * kPage, {}, arena.get(),
                          {{.begin = 0, .unit_bytes = 128}});
  EXPECT_EQ(memory.piece(200, 300).size(), 56U);
  EXPECT_EQ(memory.piece(256, 300).size(), 128U);
  EXPECT_EQ(memory.piece(256, 100).size(), 100U);
  memory.at(250, 1)[0] = std::byte{1};
  memory.at(256, 1)[0] = std::byte{2};
  EXPECT_EQ(memory.at(250, 1)[0], std::byte{1});
  EXPECT_EQ(memory.at(256, 1)[0], std::byte{2});
}

TEST(MemoryInUnits, WithoutALoaderIsZeroWhateverWasThere) {
  const auto arena = PageArena::reserve();
  for (int use = 0; use < 3; ++use) {
    FirstTouchMemory memory("test", kFewPages * kPage, {}, arena.get(), ones_and_threes(kFewPages));
    for (std::uint64_t page = 0; page < kFewPages; ++page) {
      ASSERT_EQ(content(memory, page), std::vector<std::byte>(kPage)) << page;
      std::memset(memory.at(page * kPage, kPage), 0xEE, kPage);
    }
  }
}

TEST(MemoryInUnits, WithoutAnArenaIsOnePiece) {
  FirstTouchMemory memory("test", kFewPages * kPage, number, nullptr, ones_and_threes(kFewPages));
  EXPECT_EQ(memory.at(7 * kPage, 1), memory.base() + 7 * kPage);
  EXPECT_EQ(memory.piece(8, 5 * kPage).size(), 5 * kPage);
}

TEST(MemoryInUnits, OfTwoMemoriesAreApart) {
  const auto arena = PageArena::reserve();
  FirstTouchMemory one("one", kFewPages * kPage, number, arena.get(), ones_and_threes(kFewPages));
  FirstTouchMemory other("other", kFewPages * kPage, number, arena.get(),
                         ones_and_threes(kFewPages));
  for (std::uint64_t page = 0; page < kFewPages; page += 3) {
    std::memset(one.at(page * kPage, kPage), 0x11, kPage);
    std::memset(other.at(page * kPage, kPage), 0x22, kPage);
  }
  EXPECT_EQ(content(one, 9), std::vector<std::byte>(kPage, std::byte{0x11}));
  EXPECT_EQ(content(other, 9), std::vector<std::byte>(kPage, std::byte{0x22}));
}

long minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Page faults that records here and there cost the operating system, and a sanitizer's shadow.
long faults_of_scattered_use(FirstTouchMemory& memory) {
  const long before = minor_faults();
  for (std::uint64_t page = 0; page < kPages / 2; page += 64) memory.at(page * kPage, 8);
  return minor_faults() - before;
}

TEST(MemoryInUnits, RecordsHereAndThereSharePages) {
  const auto arena = PageArena::reserve();
  FirstTouchMemory together("test", kPages * kPage, number, arena.get(), ones_and_threes(kPages));
  FirstTouchMemory apart("test", kPages * kPage, number);
  EXPECT_LT(faults_of_scattered_use(together), faults_of_scattered_use(apart) / 2)
      << "where each has a page of its own";
}

TEST(PageArena, HandsOutAgainWhatItWasGivenBack) {
  const auto arena = PageArena::reserve();
  std::byte* one = arena->take(4 * PageArena::kGrain);
  std::byte* other = arena->take(4 * PageArena::kGrain);
  EXPECT_NE(one, arena->base()) << "at which nothing lies";
  EXPECT_GE(other, one + 4 * PageArena::kGrain);
  arena->give_back(one, 4 * PageArena::kGrain);
  EXPECT_NE(arena->take(8 * PageArena::kGrain), one) << "it is too small";
  EXPECT_EQ(arena->take(4 * PageArena::kGrain), one);
}

TEST(PageArena, TellsHowMuchIsInUse) {
  const auto arena = PageArena::reserve();
  EXPECT_EQ(arena->bytes_in_use(), 0U);
  std::byte* one = arena->take(PageArena::kGrain);
  arena->take(PageArena::kGrain + 1);
  EXPECT_EQ(arena->bytes_in_use(), 3 * PageArena::kGrain);
  arena->give_back(one, PageArena::kGrain);
  EXPECT_EQ(arena->bytes_in_use(), 2 * PageArena::kGrain);
  arena->take(PageArena::kGrain);
  EXPECT_EQ(arena->bytes_in_use(), 3 * PageArena::kGrain) << "used again";
}

}  // namespace
}  // namespace verbena::rdma
