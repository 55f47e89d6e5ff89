// Timers of few different durations.
#include "rdma/rpc/timer_lists.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbena::rdma {
namespace {

TEST(TimerLists, FireByDeadlineWithinAListAndNotWhenDisarmed) {
  TimerLists timers(3);
  std::vector<TimerId> ids;
  for (std::uint32_t i = 0; i < 5; ++i) ids.push_back(timers.create(100 + i));
  EXPECT_EQ(timers.next_deadline(), kNever);
  timers.arm(ids[0], 0, 10_ns);
  timers.arm(ids[1], 0, 20_ns);
  timers.arm(ids[2], 0, 30_ns);
  timers.arm(ids[3], 2, 15_ns);
  timers.disarm(ids[1]);
  EXPECT_EQ(timers.next_deadline(), 10_ns);
  EXPECT_EQ(timers.take_due(9_ns), kNoTimer);
  EXPECT_EQ(timers.target(timers.take_due(25_ns)), 100U);
  EXPECT_EQ(timers.target(timers.take_due(25_ns)), 103U);
  EXPECT_EQ(timers.take_due(25_ns), kNoTimer);
  EXPECT_EQ(timers.next_deadline(), 30_ns);
  timers.arm(ids[2], 1, 90_ns);  // again, elsewhere
  EXPECT_EQ(timers.next_deadline(), 90_ns);
  EXPECT_FALSE(timers.armed(ids[0]));
  EXPECT_TRUE(timers.armed(ids[2]));
}

}  // namespace
}  // namespace verbena::rdma
