// Address space that is used again: whoever takes it finds zeros.
#include "rdma/seam/kept_mappings.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>

#include "rdma/seam/first_touch_memory.h"
#include "rdma/seam/page_arena.h"

namespace verbena::rdma {
namespace {

constexpr std::size_t kMany = std::size_t{3} << 20;
constexpr std::uint64_t kEnough = std::uint64_t{1} << 30;

bool all_zero(const std::byte* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](std::byte byte) { return byte == std::byte{0}; });
}

std::int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

using Resource = decltype(RLIMIT_AS);

// As long as it lives, the process has no more of `resource`.
class Limit {
 public:
  Limit(Resource resource, rlim_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit limit{.rlim_cur = most, .rlim_max = before_.rlim_max};
    setrlimit(resource_, &limit);
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  Resource resource_;
  rlimit before_{};
};

// Address space of this process, in bytes.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

class KeptMappingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) GTEST_SKIP() << "this kernel does not tell which pages were touched";
    close(pagemap);
  }
};

TEST_F(KeptMappingsTest, AreTakenAgainAndZero) {
  KeptMappings mappings(kEnough);
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

TEST_F(KeptMappingsTest, AreTakenAgainWithTheirPages) {
  KeptMappings mappings(kEnough);
  std::byte* first = mappings.take(kMany);
  std::memset(first, 0xEE, kMany);
  mappings.give_back(first, kMany);
  std::byte* again = mappings.take(kMany);
  const std::int64_t before = page_faults();
  std::memset(again, 0xEE, kMany);
  EXPECT_LT(page_faults() - before, 20) << "of " << kMany / 4096 << " pages";
  mappings.give_back(again, kMany);
}

TEST_F(KeptMappingsTest, OfAnotherSizeAreOthers) {
  KeptMappings mappings(kEnough);
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

TEST_F(KeptMappingsTest, CountWhatWasTouchedOnly) {
  constexpr std::size_t kHuge = std::size_t{1} << 30;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  KeptMappings mappings(kEnough);
  std::byte* huge = mappings.take(kHuge);
  ASSERT_NE(huge, nullptr);
  huge[kHuge / 2] = std::byte{1};
  mappings.give_back(huge, kHuge);
  EXPECT_EQ(mappings.touched_bytes(), page_bytes);
  std::byte* again = mappings.take(kHuge);
  EXPECT_EQ(again, huge);
  EXPECT_EQ(again[kHuge / 2], std::byte{0});
  mappings.give_back(again, kHuge);
}

// The older of two goes when both are touched throughout, and each is more than half of what may be
// kept.
TEST_F(KeptMappingsTest, KeepNoMoreThanTheyMay) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t half = 16 * page_bytes;
  KeptMappings mappings(2 * half - page_bytes);
  std::byte* older = mappings.take(half);
  std::byte* newer = mappings.take(half + page_bytes);
  std::memset(older, 1, half);
  std::memset(newer, 1, half);
  mappings.give_back(older, half);
  EXPECT_EQ(mappings.touched_bytes(), half);
  mappings.give_back(newer, half + page_bytes);
  EXPECT_EQ(mappings.touched_bytes(), half);
  EXPECT_EQ(mappings.take(half + page_bytes), newer);
  EXPECT_EQ(mappings.touched_bytes(), 0U);
  mappings.give_back(newer, half + page_bytes);
}

TEST_F(KeptMappingsTest, GoWhereNobodyTellsWhatWasTouched) {
  KeptMappings mappings(kEnough);
  std::byte* first = mappings.take(kMany);
  std::byte* second = mappings.take(kMany);
  std::memset(first, 0xEE, kMany);
  std::memset(second, 0xEE, kMany);
  mappings.give_back(first, kMany);
  EXPECT_EQ(mappings.touched_bytes(), kMany);
  std::byte* again = nullptr;
  {
    // As where the operating system does not tell.
    const Limit no_files(RLIMIT_NOFILE, 0);
    mappings.give_back(second, kMany);
    again = mappings.take(kMany);
  }
  EXPECT_EQ(mappings.touched_bytes(), 0U);
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(all_zero(again, kMany));
  mappings.give_back(again, kMany);
}

TEST_F(KeptMappingsTest, GoWhereAddressesAreShort) {
  constexpr std::size_t kBig = std::size_t{1} << 30;
  KeptMappings mappings(kEnough);
  for (const bool reserved : {false, true}) {
    std::byte* first = mappings.take(kBig);
    ASSERT_NE(first, nullptr);
    first[0] = std::byte{1};
    mappings.give_back(first, kBig);
    EXPECT_GT(mappings.touched_bytes(), 0U);
    const std::size_t other_bytes = kBig - 4096;
    std::byte* other = nullptr;
    {
      const Limit limit(RLIMIT_AS, address_space() + (std::uint64_t{64} << 20));
      other = reserved ? mappings.reserve(other_bytes) : mappings.take(other_bytes);
    }
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(mappings.touched_bytes(), 0U);
    munmap(other, other_bytes);
  }
}

TEST(KeptMappings, OfWhichNoneMayBeKeptGoAtOnce) {
  KeptMappings mappings(0);
  std::byte* first = mappings.take(kMany);
  std::memset(first, 0xEE, kMany);
  mappings.give_back(first, kMany);
  EXPECT_EQ(mappings.touched_bytes(), 0U);
  std::byte* again = mappings.take(kMany);
  EXPECT_TRUE(all_zero(again, kMany));
  mappings.give_back(again, kMany);
}

TEST_F(KeptMappingsTest, LetMemoryOfAnArenaBeginAnew) {
  const auto arena = PageArena::reserve(kEnough);
  if (arena == nullptr) GTEST_SKIP() << "no address space for an arena";
  const std::byte* base = nullptr;
  for (int use = 0; use < 3; ++use) {
    FirstTouchMemory memory("test", kMany, {}, arena.get());
    if (use == 0) base = memory.base();
    EXPECT_EQ(memory.base(), base);
    ASSERT_TRUE(all_zero(memory.at(0, kMany), kMany));
    std::memset(memory.at(0, kMany), 0xEE, kMany);
  }
}

TEST_F(KeptMappingsTest, LetMemoryOfAnArenaBeLoadedAnew) {
  const auto arena = PageArena::reserve(kEnough);
  if (arena == nullptr) GTEST_SKIP() << "no address space for an arena";
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
