// The event queue: order by time, then by arrival, at every distance and density.
#include "simnic/engine/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rdma/base/random.h"

namespace verbena::simnic {
namespace {

/// Pushes events up to `distance` ahead of the last one taken, takes as many, and checks each
/// against a list that is searched from its beginning.
void expect_order(Picoseconds distance, std::size_t waiting, std::uint64_t seed) {
  SplitMix random(seed);
  EventQueue queue;
  std::vector<TimedEvent> expected;
  std::uint32_t pushed = 0;
  Picoseconds now = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (queue.size() < waiting && (queue.empty() || random.below(8) != 0)) {
      const auto ahead = Picoseconds(random.next() >> 1) % (distance + Picoseconds(1));
      const TimedEvent event = TimedEvent::make(now + ahead, EventKind::kDoorbell, pushed++, 0);
      queue.push(event);
      expected.push_back(event);
      continue;
    }
    // The first of the earliest: min_element takes the first of equal ones.
    const auto first =
        std::min_element(expected.begin(), expected.end(),
                         [](const TimedEvent& a, const TimedEvent& b) { return a.time < b.time; });
    const TimedEvent taken = queue.pop();
    ASSERT_EQ(taken.time, first->time);
    ASSERT_EQ(taken.index, first->index);
    now = taken.time;
    expected.erase(first);
    ASSERT_EQ(queue.size(), expected.size());
  }
}

TEST(EventQueue, EventsLeaveInTheOrderOfTheirTimesHoweverFarAhead) {
  std::uint64_t seed = 1;
  for (std::int64_t distance = 10; distance < std::int64_t{1} << 50; distance *= 100) {
    expect_order(Picoseconds(distance), 50, seed++);
  }
}

TEST(EventQueue, CrowdsOfEventsLeaveInTheOrderOfTheirTimes) {
  expect_order(to_picoseconds(3_ns), 400, 1);
  expect_order(to_picoseconds(kMicrosecond), 400, 2);
}

TEST(EventQueue, EventsOfOneTimeLeaveAsTheyCame) {
  expect_order(0, 300, 1);
  expect_order(Picoseconds(3), 300, 2);
}

TEST(EventQueue, WhatTheNextRunHoldsIsKnownAsARunBegins) {
  EventQueue queue;
  // Two events in each of two spans of time that are far apart.
  for (const int time : {1'000'000, 1'000'001, 2'000'000, 2'000'001}) {
    queue.push(TimedEvent::make(Picoseconds(time), EventKind::kDoorbell, 0, 0));
  }
  queue.pop();
  EXPECT_TRUE(queue.run_began());
  ASSERT_EQ(queue.next_run().size(), 2);
  EXPECT_EQ(queue.next_run()[0].time, Picoseconds(2'000'000));
  ASSERT_NE(queue.ahead(0), nullptr);
  EXPECT_EQ(queue.ahead(0)->time, Picoseconds(1'000'001));
  EXPECT_EQ(queue.ahead(1), nullptr);
  queue.pop();
  EXPECT_FALSE(queue.run_began());
}

}  // namespace
}  // namespace verbena::simnic
