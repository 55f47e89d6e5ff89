// Fibers of one worker: order, sleep, exceptions, unwinding and stacks.
#include "rdma/fibers/fiber_scheduler.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace verbena::rdma {
namespace {

constexpr std::size_t kStackBytes = 65536;
constexpr auto kAlways = [] { return true; };

void run_all(FiberScheduler& scheduler) {
  while (scheduler.has_ready()) scheduler.run_ready([](FiberId) {}, kAlways);
}

TEST(FiberScheduler, RunsFibersInTheOrderInWhichTheyBecameReady) {
  FiberScheduler scheduler(kStackBytes, 4);
  std::string order;
  for (char name = 'a'; name <= 'c'; ++name) {
    scheduler.spawn([&, name] {
      for (int i = 0; i < 2; ++i) {
        order += name;
        scheduler.make_ready(scheduler.current());
        scheduler.suspend();
      }
    });
  }
  run_all(scheduler);
  EXPECT_EQ(order, "abcabc");
  EXPECT_EQ(scheduler.alive(), 0U);
}

TEST(FiberScheduler, RunsEachFiberOnceAtATime) {
  FiberScheduler scheduler(kStackBytes, 4);
  int turns = 0;
  scheduler.spawn([&] {
    for (; turns < 5; ++turns) {
      scheduler.make_ready(scheduler.current());
      scheduler.suspend();
    }
  });
  int switches = 0;
  EXPECT_EQ(scheduler.run_ready([&](FiberId) { ++switches; }, kAlways), 1U);
  EXPECT_EQ(turns, 0);
  EXPECT_EQ(scheduler.run_ready([&](FiberId) { ++switches; }, kAlways), 1U);
  EXPECT_EQ(turns, 1);
  EXPECT_EQ(switches, 2);
  run_all(scheduler);
}

TEST(FiberScheduler, LeavesTheRestForTheNextTimeInTheirOrder) {
  FiberScheduler scheduler(kStackBytes, 4);
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    scheduler.spawn([&order, name] { order += name; });
  }
  EXPECT_EQ(scheduler.run_ready([](FiberId) {}, [&] { return order.size() < 2; }), 2U);
  EXPECT_EQ(order, "ab");
  scheduler.spawn([&order] { order += 'd'; });
  EXPECT_EQ(scheduler.run_ready([](FiberId) {}, [] { return false; }), 1U)
      << "one runs in any case";
  EXPECT_EQ(order, "abc");
  run_all(scheduler);
  EXPECT_EQ(order, "abcd");
}

TEST(FiberScheduler, WakesSleepersByDeadlineThenByWhoSleptFirst) {
  FiberScheduler scheduler(kStackBytes, 4);
  std::string order;
  const auto sleeper = [&](char name, Nanoseconds deadline) {
    scheduler.spawn([&scheduler, &order, name, deadline] {
      scheduler.sleep_until(deadline);
      order += name;
    });
  };
  sleeper('a', 30_ns);
  sleeper('b', 10_ns);
  sleeper('c', 10_ns);
  sleeper('d', 20_ns);
  run_all(scheduler);
  EXPECT_EQ(scheduler.next_deadline(), 10_ns);
  scheduler.wake_sleepers(9_ns, [](FiberId) {});
  EXPECT_FALSE(scheduler.has_ready());
  scheduler.wake_sleepers(25_ns, [](FiberId) {});
  run_all(scheduler);
  EXPECT_EQ(order, "bcd");
  EXPECT_EQ(scheduler.next_deadline(), 30_ns);
  scheduler.wake_sleepers(30_ns, [](FiberId) {});
  run_all(scheduler);
  EXPECT_EQ(order, "bcda");
  EXPECT_EQ(scheduler.next_deadline(), kNever);
}

TEST(FiberScheduler, AnExceptionLeavesThroughRunReady) {
  FiberScheduler scheduler(kStackBytes, 4);
  scheduler.spawn([] { throw std::runtime_error("from a fiber"); });
  int later = 0;
  scheduler.spawn([&] { ++later; });
  EXPECT_THROW(scheduler.run_ready([](FiberId) {}, kAlways), std::runtime_error);
  EXPECT_EQ(scheduler.alive(), 1U);
  run_all(scheduler);
  EXPECT_EQ(later, 1);
}

TEST(FiberScheduler, FibersThatSuspendInCatchBlocksKeepTheirExceptionsApart) {
  FiberScheduler scheduler(kStackBytes, 4);
  std::vector<std::string> seen;
  for (int fiber = 0; fiber < 3; ++fiber) {
    scheduler.spawn([&, fiber] {
      try {
        throw std::runtime_error("fiber " + std::to_string(fiber));
      } catch (const std::runtime_error&) {
        scheduler.make_ready(scheduler.current());
        scheduler.suspend();
        try {
          throw;
        } catch (const std::runtime_error& error) {
          seen.emplace_back(error.what());
        }
      }
    });
  }
  run_all(scheduler);
  EXPECT_EQ(seen, (std::vector<std::string>{"fiber 0", "fiber 1", "fiber 2"}));
}

TEST(FiberScheduler, UnwindsSuspendedFibersWhenItIsDestroyed) {
  std::string unwound;
  struct Guard {
    std::string& unwound;
    char name;
    ~Guard() { unwound += name; }
  };
  {
    FiberScheduler scheduler(kStackBytes, 4);
    for (char name = 'a'; name <= 'b'; ++name) {
      scheduler.spawn([&, name] {
        const Guard guard{unwound, name};
        scheduler.suspend();
        FAIL() << "a cancelled fiber goes on";
      });
    }
    scheduler.run_ready([](FiberId) {}, kAlways);
    scheduler.spawn([&] { unwound += "never begun"; });
  }
  EXPECT_EQ(unwound, "ab");
}

TEST(FiberScheduler, ManyFibersOneAfterAnotherShareFewStacks) {
  FiberScheduler scheduler(kStackBytes, 2);
  int done = 0;
  for (int i = 0; i < 10000; ++i) {
    scheduler.spawn([&] {
      volatile char deep[20000];
      deep[0] = 1;
      done += deep[0];
    });
    run_all(scheduler);
  }
  EXPECT_EQ(done, 10000);
}

TEST(FiberScheduler, ThousandsOfFibersMayBeSuspendedAtATime) {
  FiberScheduler scheduler(kStackBytes, 64);
  std::vector<FiberId> fibers;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    scheduler.spawn([&, i] {
      fibers.push_back(scheduler.current());
      scheduler.suspend();
      sum += i;
    });
  }
  scheduler.run_ready([](FiberId) {}, kAlways);
  EXPECT_EQ(scheduler.alive(), 5000U);
  for (const FiberId fiber : fibers) scheduler.make_ready(fiber);
  run_all(scheduler);
  EXPECT_EQ(sum, 4999U * 5000U / 2);
}

TEST(FiberScheduler, WhatIsExpectedMayBeGoneByThen) {
  FiberScheduler scheduler(kStackBytes, 4);
  int resumed = 0;
  scheduler.spawn([&] {
    for (int range = 0; range < 4; ++range) {
      const std::vector<int> gone(1000);
      scheduler.expect(gone.data(), gone.size() * sizeof(int));
    }
    scheduler.make_ready(scheduler.current());
    scheduler.suspend();
    ++resumed;
  });
  run_all(scheduler);
  EXPECT_EQ(resumed, 1);
}

TEST(FiberScheduler, RefusesToWakeAFiberThatIsNotSuspended) {
  FiberScheduler scheduler(kStackBytes, 4);
  scheduler.spawn([&] { scheduler.suspend(); });
  EXPECT_THROW(scheduler.make_ready(0), std::logic_error) << "it is ready already";
  scheduler.run_ready([](FiberId) {}, kAlways);
  scheduler.make_ready(0);
  run_all(scheduler);
  EXPECT_THROW(scheduler.make_ready(0), std::logic_error) << "it has returned";
  EXPECT_THROW(scheduler.suspend(), std::logic_error) << "outside of a fiber";
  EXPECT_THROW(scheduler.expect(&scheduler, 64), std::logic_error) << "outside of a fiber";
}

TEST(StackPoolDeathTest, AnOverflownStackEndsTheProcess) {
  EXPECT_DEATH(
      {
        StackPool pool(16384, 2);
        const Stack upper = pool.take();
        upper.bottom[10] = std::byte{1};
        pool.give_back(upper);
      },
      "more than its 16384 bytes of stack");
}

}  // namespace
}  // namespace verbena::rdma
