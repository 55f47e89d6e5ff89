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

TEST(EventQueue, EventsThatOtherNodesSentComeByNodeBehindItsOwnOfTheTime) {
  // Few enough for one run, and too many; times alone, and among others.
  for (const int copies : {1, 40}) {
    for (const int spread : {0, 50'000}) {
      EventQueue queue;
      for (int copy = 0; copy < copies; ++copy) {
        for (const std::uint32_t node : {7U, 0U, 3U, 1U}) {
          const EventKind kind = node == 0 ? EventKind::kDoorbell : EventKind::kRequestArrives;
          queue.push(TimedEvent::make(Picoseconds(1'000'000 + copy * spread), kind,
                                      static_cast<std::uint32_t>(copy), node));
        }
      }
      TimedEvent last = queue.pop();
      while (!queue.empty()) {
        const TimedEvent next = queue.pop();
        EXPECT_FALSE(next.before(last));
        if (!last.before(next)) {
          EXPECT_LT(last.index, next.index) << "of one node as they were pushed";
        }
        last = next;
      }
    }
  }
}

TEST(EventQueue, OnlyEventsBeforeTheEndAreTakenAndEarlierOnesMayFollow) {
  SplitMix random(3);
  EventQueue queue;
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> taken;
  const auto push = [&](std::int64_t time) {
    queue.push(TimedEvent::make(Picoseconds(time), EventKind::kDoorbell, 0, 0));
    times.push_back(time);
  };
  std::int64_t now = 0;
  for (int window = 0; window < 2000; ++window) {
    // Seldom far ahead, beyond what a bucket of any level holds.
    for (int i = 0; i < 3; ++i) push(now + 1 + random.below(i == 0 ? 1U << 27 : 200'000));
    const std::int64_t end = now + 40'000;
    const Picoseconds next = queue.next_time();
    EXPECT_EQ(next.count(), *std::ranges::min_element(times));
    TimedEvent event;
    while (queue.pop_before(Picoseconds(end), event)) {
      EXPECT_LT(event.time.count(), end);
      taken.push_back(event.time.count());
      times.erase(std::ranges::find(times, event.time.count()));
    }
    EXPECT_TRUE(times.empty() || *std::ranges::min_element(times) >= end);
    now = end;
  }
  EXPECT_TRUE(std::ranges::is_sorted(taken));
  EXPECT_GT(taken.size(), 3000U);
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
