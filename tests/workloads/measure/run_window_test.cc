// A run measures once it has come to rest, and until it is precise; or as long as it was told.
#include "workloads/measure/run_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>

#include "rdma/base/random.h"

namespace verbena::workloads {
namespace {

/// Commits per microsecond at a time in microseconds.
using Rate = std::function<double(double)>;

/// Age of the transaction that is in flight for longest, at a time.
using Age = std::function<Nanoseconds(Nanoseconds)>;

/// Memory of the nodes for each microsecond so far.
constexpr std::uint64_t kBytesPerUs = 1000;

std::uint64_t memory_at(Nanoseconds now) {
  return kBytesPerUs * static_cast<std::uint64_t>(now / kMicrosecond);
}

struct Outcome {
  Nanoseconds from = 0;
  Nanoseconds until = 0;
  double mean_per_us = 0;  // in the window
  WindowEnd ended_by = WindowEnd::kTime;
};

// About normal, of mean 0 and variance 1.
double noise(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1U << 20)) / (1U << 20);
  return sum;
}

// One worker that commits at `rate`, with `scatter` of its own, each commit 10 us after its start.
Outcome outcome_of(
    RunWindow window, const Rate& rate, double scatter = 0.05, std::uint64_t seed = 1,
    const Age& oldest = [](Nanoseconds) { return 0_ns; }) {
  Random random(seed);
  IntervalSeries course = window.course_series(0);
  IntervalSeries measured = window.measured_series(0);
  std::uint64_t commits = 0;
  Nanoseconds from = window.from();
  double due = 0;
  Nanoseconds now = 0;
  for (; now < window.until(); now += kMicrosecond) {
    due += rate(static_cast<double>(now.count()) / 1000) * (1 + scatter * noise(random));
    for (; due >= 1; due -= 1) {
      course.commit(now, 10 * kMicrosecond);
      measured.commit(now, 10 * kMicrosecond);
      if (now >= window.from()) ++commits;
    }
    if (now >= window.next_look() &&
        window.look(now, course, measured, oldest(now), memory_at(now)) && window.from() != from) {
      from = window.from();
      EXPECT_GT(from, now) << "what is measured has not happened yet";
      measured = window.measured_series(0);
      commits = 0;
    }
  }
  const double us = static_cast<double>((window.until() - window.from()).count()) / 1000;
  return {window.from(), window.until(), static_cast<double>(commits) / us, window.ended_by()};
}

RunWindow automatic(const PrecisionGoal& goal = {}) { return {std::nullopt, std::nullopt, goal}; }

TEST(RunWindow, IsWhatWasAskedFor) {
  const RunWindow window(300_ns, 700_ns, {});
  EXPECT_EQ(window.from(), 300_ns);
  EXPECT_EQ(window.until(), 1000_ns);
  EXPECT_EQ(window.next_look(), kNever);
}

TEST(RunWindow, OfASteadyRunBeginsAndEndsSoon) {
  const Outcome outcome = outcome_of(automatic(), [](double) { return 20; });
  EXPECT_LT(outcome.until, 4 * kMillisecond);
  EXPECT_NEAR(outcome.mean_per_us, 20, 0.2);
}

// Where 5 us are an interval, what the last two will hold is not all there when it looks.
TEST(RunWindow, BeginsSoonThoughSomeWorkersAreBehindOthers) {
  RunWindow window({}, {}, {});
  Random random(1);
  IntervalSeries course = window.course_series(0);
  const auto commit = [&](Nanoseconds at, std::uint64_t many) {
    for (; many > 0; --many) course.commit(at, 10 * kMicrosecond);
  };
  for (Nanoseconds now = 0; window.from() == window.until(); now += kMicrosecond) {
    commit(now, 10);
    if (now >= 10 * kMicrosecond) commit(now - 10 * kMicrosecond, 10 + random.below(2));
    if (now >= window.next_look()) window.look(now, course, window.measured_series(0), 0, 0);
  }
  EXPECT_LT(window.from(), kMillisecond);
}

TEST(RunWindow, LeavesATransientOut) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto rate = [](double us) { return 20 * (1 + 0.5 * std::exp(-us / 700)); };
    const Outcome outcome = outcome_of(automatic(), rate, 0.05, seed);
    EXPECT_GT(outcome.from, 2 * kMillisecond);
    EXPECT_NEAR(outcome.mean_per_us, 20, 0.2) << "seed " << seed;
  }
}

TEST(RunWindow, IsLongerTheMoreARunScatters) {
  const auto rate = [](double us) { return 20 * (1 + 0.2 * std::sin(us / 37)); };
  const Outcome calm = outcome_of(
      automatic(), [](double) { return 20; }, 0.1);
  const Outcome wild = outcome_of(
      automatic(), [](double) { return 20; }, 3);
  EXPECT_GT(wild.until - wild.from, 3 * (calm.until - calm.from));
  EXPECT_NEAR(outcome_of(automatic(), rate).mean_per_us, 20, 0.4);
}

TEST(RunWindow, IsLongerTheMorePreciseItHasToBe) {
  const auto rate = [](double) { return 20; };
  const Outcome rough = outcome_of(automatic({.half_width = 0.05}), rate, 1);
  const Outcome fine = outcome_of(automatic({.half_width = 0.005}), rate, 1);
  EXPECT_GT(fine.until - fine.from, 3 * (rough.until - rough.from));
}

// Its latency is not known until then, and what else is stuck with it commits nothing either.
TEST(RunWindow, DoesNotEndBeforeWhatIsStuckHasEndedLongAgo) {
  const auto rate = [](double) { return 20; };
  const auto stuck = [](Nanoseconds now) { return now < 30 * kMillisecond ? now : 10_ns; };
  const Outcome outcome = outcome_of(automatic(), rate, 0.05, 1, stuck);
  EXPECT_GT(outcome.from, 30 * kMillisecond);
}

TEST(RunWindow, GivesUpOnWhatNeverComesToRest) {
  const auto grows = [](double us) { return 5 + us / 1000; };
  const Outcome outcome = outcome_of(automatic({.longest = 40 * kMillisecond}), grows);
  EXPECT_EQ(outcome.until, 40 * kMillisecond);
  EXPECT_GE(outcome.from, 20 * kMillisecond) << "half of the time it waited for rest";
  EXPECT_EQ(outcome.ended_by, WindowEnd::kTime);
}

TEST(RunWindow, EndsAfterEnoughCommits) {
  const auto grows = [](double us) { return 5 + us / 1000; };
  const Outcome outcome = outcome_of(automatic({.most_commits = 100'000}), grows);
  EXPECT_LT(outcome.until, 20 * kMillisecond);
  EXPECT_GT(outcome.until, outcome.from);
  EXPECT_EQ(outcome.ended_by, WindowEnd::kCommits);
}

TEST(RunWindow, EndsAfterEnoughMemory) {
  const auto grows = [](double us) { return 5 + us / 1000; };
  constexpr Nanoseconds kFull = 30 * kMillisecond;
  const Outcome outcome = outcome_of(automatic({.most_memory_bytes = memory_at(kFull)}), grows);
  EXPECT_EQ(outcome.ended_by, WindowEnd::kMemory);
  EXPECT_GE(outcome.from, kFull / 2) << "half of it may be spent waiting for rest";
  EXPECT_LT(outcome.from, kFull * 3 / 4);
  EXPECT_GE(outcome.until, kFull);
  EXPECT_LT(outcome.until, kFull * 4 / 3);
}

TEST(RunWindow, ThatIsPreciseBeforeAnyLimitEndsByIt) {
  const auto rate = [](double) { return 20; };
  const Outcome unlimited = outcome_of(automatic(), rate);
  const Outcome limited = outcome_of(automatic({.most_memory_bytes = memory_at(kSecond)}), rate);
  EXPECT_EQ(limited.ended_by, WindowEnd::kPrecision);
  EXPECT_EQ(limited.from, unlimited.from);
  EXPECT_EQ(limited.until, unlimited.until);
}

TEST(RunWindow, ForeseesTheEndOfMemory) {
  const RunWindow window = automatic({.most_memory_bytes = 1000});
  const IntervalSeries nothing = window.course_series(0);
  const auto latest = [&](std::uint64_t memory_bytes) {
    return window.forecast(kMillisecond, nothing, nothing, 0, memory_bytes).latest;
  };
  EXPECT_EQ(latest(0), kSecond) << "nothing is taken: time comes first";
  EXPECT_EQ(latest(100), 10 * kMillisecond);
}

TEST(RunWindow, OfNothingAtAllEnds) {
  const Outcome outcome =
      outcome_of(automatic({.longest = 10 * kMillisecond}), [](double) { return 0; });
  EXPECT_EQ(outcome.until, 10 * kMillisecond);
}

TEST(RunWindow, OfKnownLengthBeginsWhenTheRunHasComeToRest) {
  const auto rate = [](double us) { return 20 * (1 + 0.5 * std::exp(-us / 700)); };
  const Outcome outcome = outcome_of({std::nullopt, kMillisecond, {}}, rate);
  EXPECT_GT(outcome.from, 2 * kMillisecond);
  EXPECT_EQ(outcome.until - outcome.from, kMillisecond);
}

TEST(RunWindow, OfKnownBeginningLastsAsLongAsItTakes) {
  const Outcome outcome =
      outcome_of({100 * kMicrosecond, std::nullopt, {}}, [](double) { return 20; });
  EXPECT_EQ(outcome.from, 100 * kMicrosecond);
  EXPECT_LT(outcome.until, 4 * kMillisecond);
}

TEST(RunWindow, EndsWhenTheRunDoes) {
  RunWindow window(300_ns, 700_ns, {});
  window.end(1200_ns);
  EXPECT_EQ(window.until(), 1000_ns) << "it was over before the run was";
  window.end(800_ns);
  EXPECT_EQ(window.from(), 300_ns);
  EXPECT_EQ(window.until(), 800_ns);
  window.end(200_ns);
  EXPECT_EQ(window.until() - window.from(), 0_ns);
}

// Slow variation, in milliseconds, hides in a short series behind a fast one; a window that ended
// as soon as it seemed precise would too often be wrong.
TEST(RunWindow, HoldsItsIntervalsAlsoWhereThroughputVariesSlowly) {
  constexpr Nanoseconds kStep{5'000};
  constexpr double kMean = 2000;  // commits in a step
  constexpr double kKept = 0.99;  // of the slow part from one step to the next
  int held = 0;
  constexpr int kSeeds = 100;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed);
    RunWindow window = automatic({.most_commits = UINT64_MAX / 2});
    IntervalSeries course = window.course_series(0);
    IntervalSeries measured = window.measured_series(0);
    Nanoseconds from = window.from();
    double slow = 0;
    for (Nanoseconds now = 0; now < window.until(); now += kStep) {
      slow = kKept * slow + 0.02 * std::sqrt(1 - kKept * kKept) * noise(random);
      const auto commits =
          static_cast<std::uint32_t>(std::lround(kMean * (1 + slow + 0.1 * noise(random))));
      course.commit(now, 10 * kMicrosecond, commits);
      measured.commit(now, 10 * kMicrosecond, commits);
      if (now >= window.next_look() && window.look(now, course, measured, 0, 0) &&
          window.from() != from) {
        from = window.from();
        measured = window.measured_series(0);
      }
    }
    const Precision precision = precision_of(measured.closed(window.until() - window.from()));
    ASSERT_TRUE(window.ended_by() == WindowEnd::kPrecision && precision.throughput_per_s) << seed;
    const Estimate& estimate = precision.throughput_per_s->estimate;
    const double truth = kMean / to_seconds(kStep);
    if (std::abs(estimate.mean - truth) <= estimate.half_width) ++held;
  }
  EXPECT_GE(held, 90);
}

}  // namespace
}  // namespace verbena::workloads
