// Buffers that come back: when they may be taken again, and what is refused.
#include "rdma/chain/free_list.h"

#include <gtest/gtest.h>

namespace verbena::rdma {
namespace {

using Post = FreeList::Post;

TEST(FreeList, HandsBuffersOutInTheOrderInWhichTheyCame) {
  const OperationEpochs epochs(1);
  FreeList list(128, 64, 4, epochs);
  EXPECT_FALSE(list.pop());
  for (const std::uint64_t offset : {256, 128, 192})
    EXPECT_EQ(list.post_new(offset), Post::kPosted);
  EXPECT_EQ(list.pop(), 256);
  EXPECT_EQ(list.pop(), 128);
  EXPECT_EQ(list.post(256), Post::kPosted);
  EXPECT_EQ(list.pop(), 192);
  EXPECT_EQ(list.pop(), 256);
  EXPECT_FALSE(list.pop());
  EXPECT_EQ(list.posted(), 4U);
  EXPECT_EQ(list.popped(), 4U);
}

TEST(FreeList, RefusesWhatIsNoBufferAndWhatIsFree) {
  const OperationEpochs epochs(1);
  FreeList list(128, 64, 4, epochs);
  for (const std::uint64_t offset : {0, 127, 129, 160, 128 + 4 * 64}) {
    EXPECT_EQ(list.post(offset), Post::kNotABuffer) << offset;
  }
  EXPECT_EQ(list.post(192), Post::kPosted);
  EXPECT_EQ(list.post(192), Post::kAlreadyFree);
  EXPECT_TRUE(list.is_free(192));
  EXPECT_FALSE(list.is_free(128));
  EXPECT_EQ(list.pop(), 192);
  EXPECT_FALSE(list.is_free(192));
  EXPECT_EQ(list.post(192), Post::kPosted);
}

TEST(FreeList, KeepsABufferUntilOperationsInFlightHaveEnded) {
  OperationEpochs epochs(3);
  FreeList list(0, 64, 4, epochs);
  epochs.begin(0);
  epochs.begin(2);
  list.post(64);
  EXPECT_EQ(list.in_limbo(), 1U);
  EXPECT_FALSE(list.pop());
  epochs.end(0);
  epochs.begin(0);  // this one cannot know the buffer
  EXPECT_FALSE(list.pop());
  epochs.end(2);
  EXPECT_EQ(list.listed(), 1U);
  EXPECT_EQ(list.pop(), 64);
}

TEST(FreeList, ANewBufferWaitsForNobody) {
  OperationEpochs epochs(1);
  FreeList list(0, 64, 4, epochs);
  epochs.begin(0);
  list.post_new(64);
  EXPECT_EQ(list.pop(), 64);
}

TEST(OperationEpochs, LaterOperationsOfAnExecutorDoNotCount) {
  OperationEpochs epochs(1);
  epochs.begin(0);
  OperationEpochs::InFlight before = epochs.now();
  EXPECT_FALSE(epochs.over(before));
  epochs.end(0);
  epochs.begin(0);
  EXPECT_TRUE(epochs.over(before));
  OperationEpochs::InFlight after = epochs.now();
  EXPECT_FALSE(epochs.over(after));
}

}  // namespace
}  // namespace verbena::rdma
