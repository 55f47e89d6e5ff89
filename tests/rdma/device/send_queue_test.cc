// Send queues and the numbers of their requests.
#include "rdma/device/send_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "rdma/device/work_request_id.h"

namespace verbena::rdma {
namespace {

TEST(SendQueue, FreesSlotsOnlyByCompletionsAndThenAllBefore) {
  SendQueue queue(8, 4);
  for (int i = 0; i < 6; ++i) queue.post(queue.signal_due());
  EXPECT_EQ(queue.room(), 2U);
  queue.complete(3);
  EXPECT_EQ(queue.room(), 6U);
  EXPECT_TRUE(queue.covered(3));
  EXPECT_FALSE(queue.covered(4));
  EXPECT_TRUE(queue.tail_unsignaled());
}

TEST(SendQueue, HasTheNextRequestSignaledWhenSomeWereTakenBack) {
  SendQueue queue(8, 4);
  queue.post(false);
  queue.post(false);
  queue.take_back(2);
  EXPECT_EQ(queue.room(), 8U);
  EXPECT_TRUE(queue.signal_due());
  queue.post(true);
  EXPECT_FALSE(queue.signal_due());
  EXPECT_FALSE(queue.tail_unsignaled());
}

RC_GTEST_PROP(SendQueueProperty, NeverStaysFullWithoutACompletionToCome, ()) {
  const auto depth = *rc::gen::inRange<std::uint32_t>(2, 64);
  const auto interval = *rc::gen::inRange<std::uint32_t>(1, depth / 2 + 1);
  SendQueue queue(depth, interval);
  std::vector<std::uint32_t> signaled;  // in flight
  for (int step = 0; step < 2000; ++step) {
    if (queue.room() > 0 && step % 7 != 6) {
      const bool signal = queue.signal_due() || step % 11 == 0;
      const std::uint32_t number = queue.post(signal);
      if (signal) signaled.push_back(number);
    } else if (!signaled.empty()) {
      queue.complete(static_cast<std::uint16_t>(signaled.front()));
      RC_ASSERT(queue.covered(signaled.front()));
      signaled.erase(signaled.begin());
    }
    RC_ASSERT(queue.room() <= depth);
    RC_ASSERT(queue.room() > 0 || !signaled.empty());
  }
}

TEST(SendQueue, RecognizesCompletionsWhenNumbersExceedTheirLowBits) {
  SendQueue queue(100, 50);
  for (std::uint32_t batch = 0; batch < 3000; ++batch) {
    std::uint32_t last = 0;
    for (int i = 0; i < 70; ++i) last = queue.post(i == 69);
    EXPECT_EQ(last, batch * 70 + 69);
    EXPECT_FALSE(queue.covered(last));
    queue.complete(static_cast<std::uint16_t>(last));
    ASSERT_TRUE(queue.covered(last));
    ASSERT_EQ(queue.room(), 100U);
  }
}

TEST(WorkRequestId, SurvivesItsEncoding) {
  for (const std::uint16_t value : {0, 1, 0x1234, 0xffff}) {
    for (const bool flag : {false, true}) {
      const WorkRequestId id{
          value, static_cast<std::uint16_t>(value ^ 0x5555), static_cast<std::uint16_t>(value + 7),
          static_cast<std::uint16_t>((value ^ 0x2222) & WorkRequestId::kGenerationMask), flag};
      const WorkRequestId decoded = WorkRequestId::decode(id.encode());
      EXPECT_EQ(decoded.number, id.number);
      EXPECT_EQ(decoded.channel, id.channel);
      EXPECT_EQ(decoded.owner, id.owner);
      EXPECT_EQ(decoded.generation, id.generation);
      EXPECT_EQ(decoded.last, flag);
    }
  }
}

}  // namespace
}  // namespace verbena::rdma
