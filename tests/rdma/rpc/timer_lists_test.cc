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

}  // namespace
}  // namespace verbena::rdma
