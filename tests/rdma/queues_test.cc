// The bookkeeping below requests: send queues, buffers, timers, request numbers and option ranges.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/buffer_pool.h"
#include "rdma/endpoint_options.h"
#include "rdma/send_queue.h"
#include "rdma/timer_lists.h"
#include "rdma/work_request_id.h"

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

TEST(TimerLists, FireByDeadlineWithinAListAndNotWhenDisarmed) {
  TimerLists timers(3);
  std::vector<TimerId> ids;
  for (std::uint32_t i = 0; i < 5; ++i) ids.push_back(timers.create(100 + i));
  EXPECT_EQ(timers.next_deadline(), kNever);
  timers.arm(ids[0], 0, 10);
  timers.arm(ids[1], 0, 20);
  timers.arm(ids[2], 0, 30);
  timers.arm(ids[3], 2, 15);
  timers.disarm(ids[1]);
  EXPECT_EQ(timers.next_deadline(), 10);
  EXPECT_EQ(timers.take_due(9), kNoTimer);
  EXPECT_EQ(timers.target(timers.take_due(25)), 100U);
  EXPECT_EQ(timers.target(timers.take_due(25)), 103U);
  EXPECT_EQ(timers.take_due(25), kNoTimer);
  EXPECT_EQ(timers.next_deadline(), 30);
  timers.arm(ids[2], 1, 90);  // again, elsewhere
  EXPECT_EQ(timers.next_deadline(), 90);
  EXPECT_FALSE(timers.armed(ids[0]));
  EXPECT_TRUE(timers.armed(ids[2]));
}

TEST(EndpointOptions, OutOfRangeIsAnErrorThatNamesTheOption) {
  const auto message = [](auto&& change) -> std::string {
    EndpointOptions options;
    change(options);
    try {
      options.validate();
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](EndpointOptions&) {}), "") << "the defaults are valid";
  EXPECT_EQ(message([](EndpointOptions& o) { o.signal_interval = 65; }),
            "signal_interval: 65 is not in 1 to 64 (half of send_queue_depth)");
  EXPECT_EQ(message([](EndpointOptions& o) { o.rc_retries = 7; }),
            "rc_retries: 7 is not in 0 to 6");
  EXPECT_EQ(message([](EndpointOptions& o) { o.nics = 2; }), "nics: 2 is not in 1 to 1");
  EXPECT_EQ(message([](EndpointOptions& o) { o.rpc.receive_depth = 100; }),
            "rpc.receive_depth: 100 is not a multiple of 32 (value of rpc.receive_batch)");
  EXPECT_NE(message([](EndpointOptions& o) { o.rpc.ack_delay = kSecond; }), "");
}

}  // namespace
}  // namespace verbena::rdma
