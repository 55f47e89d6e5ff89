// Texts that tell people of a run's precision and course.
#include "experiments/report/text/precision_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace verbena::experiments {
namespace {

using workloads::Course;
using workloads::Estimate;
using workloads::IntervalSeries;
using workloads::JudgedMean;
using workloads::Precision;
using workloads::WindowEnd;

JudgedMean mean_of(double mean, double half_width, Course course = Course::kSteady,
                   Nanoseconds beginning = 0) {
  return {.estimate = Estimate{.mean = mean, .half_width = half_width},
          .course = course,
          .beginning = beginning};
}

TEST(PrecisionText, GivesWidthsWithTheDigitsTheyDeserve) {
  Precision precision{.throughput_per_s = mean_of(8e7, 2.8e5),
                      .mean_latency_ns = mean_of(34'000, 4'100),
                      .abort_share = mean_of(0.46313, 0.0002)};
  EXPECT_EQ(precision_text(precision),
            "throughput +-0.35 %, mean latency +-12 %, aborts 46.313 +-0.020 % (95 %)");
  precision.abort_share = mean_of(0.996, 0.05);
  precision.mean_latency_ns = mean_of(34'000, 34'000 * 0.996);
  EXPECT_EQ(precision_text(precision),
            "throughput +-0.35 %, mean latency +-100 %, aborts 99.6 +-5.0 % (95 %)");
}

TEST(PrecisionText, SaysWhenThereIsTooLittleAndWhenAWidthIsNoWidth) {
  EXPECT_EQ(precision_text({}), "too short, or too few of them, for 95 % intervals");
  EXPECT_EQ(precision_text({.throughput_per_s = mean_of(100, 260, Course::kChanging)}),
            "throughput unknown (95 %)");
}

TEST(PrecisionText, SaysWhyThereIsNoWidthWherePartsDoNotDiffer) {
  EXPECT_EQ(precision_text({.throughput_per_s = mean_of(66, 0), .mean_latency_ns = mean_of(9, 3)}),
            "throughput - (its parts are all alike, which tells no width), "
            "mean latency +-33 % (95 %)");
  EXPECT_EQ(precision_text({.throughput_per_s = mean_of(66, 1), .abort_share = mean_of(0.25, 0)}),
            "throughput +-1.5 %, "
            "aborts 25.00 % - (its parts are all alike, which tells no width) (95 %)");
}

// A run that was to be known to 1 %.
Measurement asked(const Precision& precision, WindowEnd end = WindowEnd::kTime) {
  Measurement measurement;
  measurement.goal = 0.01;
  measurement.precision = precision;
  measurement.ended_by = end;
  return measurement;
}

TEST(GoalText, IsEmptyWhereTheGoalWasReachedOrThereIsNone) {
  Measurement measurement =
      asked({.throughput_per_s = mean_of(100, 0.5), .mean_latency_ns = mean_of(100, 0.9)});
  measurement.ended_by = WindowEnd::kPrecision;
  EXPECT_EQ(goal_text(measurement, false), "");
  EXPECT_STREQ(end_name(measurement, false), "precision");
  measurement.ended_by = WindowEnd::kTime;
  measurement.goal.reset();
  EXPECT_EQ(goal_text(measurement, false), "");
}

TEST(GoalText, NamesWhatCameFirstWhereIntervalsAreWide) {
  const Precision wide{.throughput_per_s = mean_of(100, 0.5), .mean_latency_ns = mean_of(100, 3)};
  EXPECT_EQ(goal_text(asked(wide, WindowEnd::kCommits), false),
            "; +-1 % was asked for: --max-commits came first");
  EXPECT_EQ(goal_text(asked(wide), false), "; +-1 % was asked for: --max-duration came first");
  EXPECT_EQ(goal_text(asked(wide), true), "; +-1 % was asked for: the interruption came first");
  EXPECT_EQ(goal_text(asked({}), false), "; +-1 % was asked for: --max-duration came first");
  const Precision aborts{.throughput_per_s = mean_of(100, 0.5),
                         .mean_latency_ns = mean_of(100, 0.5),
                         .abort_share = mean_of(0.4, 0.02)};
  EXPECT_EQ(goal_text(asked(aborts), false), "; +-1 % was asked for: --max-duration came first");
}

// Where it is chosen for a machine, the same run on another needs it.
TEST(GoalText, NamesTheLimitOfMemoryWithItsSize) {
  Measurement measurement = asked({}, WindowEnd::kMemory);
  measurement.most_memory_bytes = std::uint64_t{1536} << 20;
  EXPECT_EQ(goal_text(measurement, false),
            "; +-1 % was asked for: --max-memory 1536MiB came first");
  EXPECT_STREQ(end_name(measurement, false), "max-memory");
  EXPECT_STREQ(end_name(measurement, true), "interruption");
}

TEST(GoalText, SaysThatWhatIsNarrowEnoughHadNotComeToRest) {
  for (const Course course : {Course::kChanging, Course::kBeginning}) {
    const Precision precision{.throughput_per_s = mean_of(100, 0.53, course),
                              .mean_latency_ns = mean_of(100, 0.89)};
    EXPECT_EQ(goal_text(asked(precision, WindowEnd::kCommits), false),
              "; it had not come to rest when --max-commits ended it");
    EXPECT_EQ(goal_text(asked(precision), true),
              "; it had not come to rest when the interruption ended it");
  }
}

TEST(GoalText, SaysBothWhereBothAreMissing) {
  const Precision precision{.throughput_per_s = mean_of(100, 0.5),
                            .mean_latency_ns = mean_of(100, 4, Course::kChanging)};
  EXPECT_EQ(goal_text(asked(precision), false),
            "; it had not come to rest, and +-1 % was asked for, when --max-duration ended it");
}

TEST(GoalText, SaysThatAPreciseMomentWasNotYetConfirmed) {
  const Precision precision{.throughput_per_s = mean_of(100, 0.5),
                            .mean_latency_ns = mean_of(100, 0.9)};
  EXPECT_EQ(goal_text(asked(precision, WindowEnd::kCommits), false),
            "; +-1 % was asked for, and not yet confirmed when --max-commits ended it");
}

TEST(UnsteadyText, AddsToTheWarmUpThatThereWas) {
  const Precision precision{
      .throughput_per_s = mean_of(1, 0.1, Course::kBeginning, Nanoseconds(83'333)),
      .mean_latency_ns = mean_of(1, 0.1)};
  EXPECT_EQ(unsteady_text(precision, 500 * kMicrosecond),
            "the first 83.3 us of throughput differ: leave them out, --warmup 584us");
}

TEST(UnsteadyText, HasNoRemedyForWhatDoesNotComeToRest) {
  EXPECT_EQ(unsteady_text({.throughput_per_s = mean_of(1, 0.1)}, 0), "");
  const Precision precision{.throughput_per_s = mean_of(1, 0.1),
                            .mean_latency_ns = mean_of(1, 0.1, Course::kChanging),
                            .stalled = Nanoseconds(66'666'660)};
  EXPECT_EQ(unsteady_text(precision, 0),
            "mean latency does not come to rest in this time; for 66.7 ms throughput was below "
            "half of the usual");
}

TEST(UnsteadyText, TellsWhichWayTheMeanGoesInsteadOfAWarmUp) {
  Precision precision{.throughput_per_s = mean_of(1, 0.1, Course::kBeginning, Nanoseconds(83'333)),
                      .mean_latency_ns = mean_of(1, 0.1, Course::kChanging)};
  precision.throughput_per_s->drift = workloads::Drift::kRises;
  precision.mean_latency_ns->drift = workloads::Drift::kSwings;
  EXPECT_EQ(unsteady_text(precision, 0),
            "throughput does not come to rest in this time: it rises; mean latency does not come "
            "to rest in this time: it swings");
  precision.throughput_per_s->drift = workloads::Drift::kFalls;
  precision.mean_latency_ns.reset();
  EXPECT_EQ(unsteady_text(precision, std::nullopt),
            "throughput does not come to rest in this time: it falls");
}

TEST(UnsteadyText, SaysHowOftenBurstsComeInsteadOfATimeThatWasLost) {
  const Precision precision{
      .throughput_per_s = mean_of(1, 0.1),
      .stalled = 1700 * kMicrosecond,
      .bursts = {
          .count = 10, .time = 2 * kMillisecond, .lasting = 300 * kMicrosecond, .height = 5.5}};
  EXPECT_EQ(unsteady_text(precision, 0),
            "throughput comes in bursts: 10 in 2.00 ms, each for 30.0 us on average and 5.5 times "
            "as high as the mean");
}

TEST(OverTimeText, IsAsHighAsThroughputIs) {
  IntervalSeries series(0_ns, 2 * kSecond);
  for (int i = 0; i < 60; ++i) {
    const Nanoseconds at = i * (series.width() * 4);
    for (int k = 0; k < (i < 20 ? 8 : i < 40 ? 4 : i == 59 ? 0 : 1); ++k) series.commit(at, 5_ns);
  }
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "█";
  for (int i = 0; i < 20; ++i) expected += "▄";
  for (int i = 0; i < 19; ++i) expected += "▁";
  EXPECT_EQ(over_time_text(series, "txn"), expected + "   33.3 ms each, up to 240 txn/s");
  EXPECT_EQ(over_time_text({}, "op"), "nothing");
}

TEST(InFlightText, TellsWhatLatenciesDoNot) {
  Measurement measurement;
  EXPECT_EQ(in_flight_text(measurement), "nothing at the end");
  measurement.latency.record(60_ns);
  measurement.in_flight.record(50_ns);
  measurement.in_flight_until = 9990_ns;
  EXPECT_EQ(in_flight_text(measurement),
            "1 at the end, for up to 50.0 ns; the last ended 9.99 us later")
      << "of fewer than six nobody knows the median";
  for (int i = 0; i < 4; ++i) measurement.in_flight.record(50_ns);
  measurement.in_flight.record(61_ns);
  EXPECT_EQ(in_flight_text(measurement),
            "6 at the end, for 50.0 ns (p50) to 61.0 ns, longer than any latency; the last ended "
            "9.99 us later");
}

}  // namespace
}  // namespace verbena::experiments
