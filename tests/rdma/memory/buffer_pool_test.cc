// Buffers of all sizes from one range of memory.
#include "rdma/memory/buffer_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace verbena::rdma {
namespace {

RC_GTEST_PROP(BufferPoolProperty, BuffersInUseNeverOverlapAndGivenBackMakeRoomForAny,
              (const std::vector<std::uint16_t>& actions)) {
  std::vector<std::byte> memory(1 << 16);
  BufferPool pool(memory);
  std::map<std::byte*, std::pair<std::size_t, BufferId>> used;  // by address: bytes, buffer
  for (const std::uint16_t action : actions) {
    const std::size_t bytes = 1 + action % 4000;
    if (action % 3 == 0 && !used.empty()) {
      pool.give_back(used.begin()->second.second);
      used.erase(used.begin());
      continue;
    }
    const bool promised = pool.has(bytes);
    const BufferId id = pool.take(bytes);
    RC_ASSERT(promised == (id != kNoBuffer));
    if (id == kNoBuffer) continue;
    std::byte* address = pool[id].address;
    RC_ASSERT(address >= memory.data());
    RC_ASSERT(address + bytes <= memory.data() + memory.size());
    const auto after = used.lower_bound(address);
    RC_ASSERT(after == used.end() || address + bytes <= after->first);
    if (after != used.begin()) {
      const auto before = std::prev(after);
      RC_ASSERT(before->first + before->second.first <= address);
    }
    used.emplace(address, std::pair(bytes, id));
  }
  RC_ASSERT(pool.taken() == used.size());
  for (const auto& [address, buffer] : used) pool.give_back(buffer.second);
  RC_ASSERT(pool.has(BufferPool::kLargest));
  RC_ASSERT(pool.take(BufferPool::kLargest) != kNoBuffer);
}

TEST(BufferPool, MergesSmallBuffersForALargeOne) {
  std::vector<std::byte> memory(8192);
  BufferPool pool(memory);
  std::vector<BufferId> small(128);
  for (BufferId& buffer : small) buffer = pool.take(64);
  EXPECT_EQ(pool.take(64), kNoBuffer);
  // Every other one: much is free, but nowhere enough.
  for (std::size_t i = 0; i < 128; i += 2) pool.give_back(small[i]);
  EXPECT_FALSE(pool.has(128));
  EXPECT_EQ(pool.take(128), kNoBuffer);
  for (std::size_t i = 33; i < 96; i += 2) pool.give_back(small[i]);
  EXPECT_TRUE(pool.has(4096));
  const BufferId large = pool.take(4096);
  ASSERT_NE(large, kNoBuffer);
  EXPECT_FALSE(pool.has(4096));
  pool.give_back(large);
  EXPECT_EQ(pool.take(4096), large);
}

TEST(BufferPool, UsesLargerBuffersWhenSmallOnesAreGone) {
  std::vector<std::byte> memory(4096);
  BufferPool pool(memory);
  const BufferId large = pool.take(4096);
  ASSERT_NE(large, kNoBuffer);
  EXPECT_EQ(pool.take(1), kNoBuffer);
  pool.give_back(large);
  EXPECT_EQ(pool.take(1), large);
}

}  // namespace
}  // namespace verbena::rdma
