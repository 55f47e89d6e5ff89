// Memory of receive buffers: what it holds, and how much of it there is.
#include "rdma/seam/buffer_memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace verbena::rdma {
namespace {

constexpr std::size_t kCount = 512;
constexpr std::size_t kBytes = 2112;

class Buffers : public ::testing::Test {
 protected:
  // Addresses of a buffer's first and last byte, as a NIC sees them.
  std::byte* first(std::size_t index) { return nic_sees(index, 0); }
  std::byte* last(std::size_t index) { return nic_sees(index, kBytes - 1); }

  std::unique_ptr<PageArena> arena_ = PageArena::reserve();
  // Addresses that nobody may touch.
  std::byte* base_ = arena_->mappings().reserve(kCount * kBytes);
  BufferMemory buffers_{base_, kCount, kBytes, arena_.get()};

 private:
  std::byte* nic_sees(std::size_t index, std::size_t offset) {
    return buffers_.at(reinterpret_cast<std::uintptr_t>(buffers_.address(index)) + offset);
  }
};

TEST_F(Buffers, HoldWhatWasWrittenUntilTheyAreEmptied) {
  *first(3) = std::byte{1};
  *last(3) = std::byte{2};
  *first(4) = std::byte{3};
  *first(kCount - 1) = std::byte{4};
  EXPECT_EQ(buffers_.content(3)[0], std::byte{1});
  EXPECT_EQ(buffers_.content(3)[kBytes - 1], std::byte{2});
  EXPECT_EQ(buffers_.content(4)[0], std::byte{3});
  EXPECT_EQ(buffers_.content(kCount - 1)[0], std::byte{4});
}

TEST_F(Buffers, ThatAreFullAtOnceShareNothing) {
  for (std::size_t i = 0; i < kCount; ++i) *first(i) = *last(i) = static_cast<std::byte>(i);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(*first(i), static_cast<std::byte>(i));
    EXPECT_EQ(*last(i), static_cast<std::byte>(i));
  }
}

TEST_F(Buffers, CostWhatIsFullAtOnce) {
  const std::uint64_t before = arena_->bytes_in_use();
  std::set<std::byte*> memory;
  for (std::size_t i = 0; i < 3 * kCount; ++i) {
    memory.insert(first(i % kCount));
    memory.insert(first((i + 1) % kCount));
    buffers_.empty(i % kCount);
  }
  EXPECT_EQ(memory.size(), 2U) << "of two buffers at a time";
  EXPECT_LE(arena_->bytes_in_use() - before, 8 * kBytes);
}

TEST_F(Buffers, AreEmptiedOnce) {
  first(1);
  buffers_.empty(1);
  buffers_.empty(1);
  buffers_.empty(2);
  EXPECT_NE(first(1), first(2));
}

TEST_F(Buffers, CoverTheirAddressesAlone) {
  const auto begin = reinterpret_cast<std::uintptr_t>(base_);
  EXPECT_TRUE(buffers_.covers(begin));
  EXPECT_TRUE(buffers_.covers(begin + kCount * kBytes - 1));
  EXPECT_FALSE(buffers_.covers(begin - 1));
  EXPECT_FALSE(buffers_.covers(begin + kCount * kBytes));
}

TEST_F(Buffers, GiveTheirMemoryBack) {
  const std::uint64_t before = arena_->bytes_in_use();
  {
    BufferMemory others(base_, kCount, kBytes, arena_.get());
    others.content(7);
    EXPECT_GT(arena_->bytes_in_use(), before);
  }
  EXPECT_EQ(arena_->bytes_in_use(), before);
}

TEST(BuffersWithoutAnArena, LieAtTheirAddresses) {
  std::vector<std::byte> memory(4 * kBytes);
  BufferMemory buffers(memory.data(), 4, kBytes, nullptr);
  EXPECT_EQ(buffers.content(2), memory.data() + 2 * kBytes);
  EXPECT_EQ(buffers.at(reinterpret_cast<std::uintptr_t>(memory.data()) + 5), memory.data() + 5);
  buffers.empty(2);
  EXPECT_EQ(buffers.content(2), memory.data() + 2 * kBytes);
}

}  // namespace
}  // namespace verbena::rdma
