// A window in intervals: where what happened is counted, and how intervals add up.
#include "workloads/measure/interval_series.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace verbena::workloads {
namespace {

TEST(IntervalSeries, CountsWhatHappensInItsWindowWhereItHappens) {
  IntervalSeries series(1000_ns, 3400_ns);
  ASSERT_EQ(series.counts().size(), 240U);
  EXPECT_EQ(series.width(), 10_ns);
  series.commit(999_ns, 5_ns);
  series.commit(1000_ns, 50_ns);
  series.commit(1009_ns, 70_ns);
  series.abort(1010_ns);
  series.commit(3399_ns, 7_ns);
  series.commit(3400_ns, 5_ns);
  series.abort(9999_ns);
  EXPECT_EQ(series.counts()[0].committed, 2U);
  EXPECT_EQ(series.counts()[0].latency_ns, 120U);
  EXPECT_EQ(series.counts()[0].aborted, 0U);
  EXPECT_EQ(series.counts()[1].aborted, 1U);
  EXPECT_EQ(series.counts()[239].committed, 1U);
  std::uint64_t all = 0;
  for (const IntervalCounts& counts : series.counts()) all += counts.committed + counts.aborted;
  EXPECT_EQ(all, 4U) << "nothing from outside";
}

TEST(IntervalSeries, HasWhatIsLeftOverInItsLastInterval) {
  IntervalSeries series(0_ns, 599_ns);
  EXPECT_EQ(series.width(), 2_ns);
  ASSERT_EQ(series.counts().size(), 240U);
  series.commit(478_ns, 1_ns);
  series.commit(480_ns, 1_ns);
  series.commit(598_ns, 1_ns);
  series.commit(599_ns, 1_ns);
  EXPECT_EQ(series.counts()[239].committed, 3U);
}

TEST(IntervalSeries, OfFewNanosecondsHasFewIntervals) {
  EXPECT_EQ(IntervalSeries(0_ns, 7_ns).counts().size(), 7U);
  IntervalSeries none(5_ns, 5_ns);
  EXPECT_TRUE(none.counts().empty());
  none.commit(5_ns, 1_ns);
}

TEST(IntervalSeries, OfWorkersAddUpEachByItsOwnClock) {
  IntervalSeries all;
  IntervalSeries one(0_ns, 240_ns);
  one.commit(3_ns, 10_ns);
  IntervalSeries other(100_ns, 340_ns);
  other.commit(103_ns, 20_ns);
  other.abort(104_ns);
  all.merge(one);
  all.merge(other);
  all.merge(IntervalSeries());
  EXPECT_EQ(all.counts()[3].committed, 2U);
  EXPECT_EQ(all.counts()[3].latency_ns, 30U);
  EXPECT_EQ(all.counts()[4].aborted, 1U);
}

TEST(IntervalSeries, BecomesCoarserWithoutLosingAny) {
  IntervalSeries series(0_ns, 2400_ns);
  for (std::uint64_t at = 0; at < 2400; at += 3) series.commit(Nanoseconds(at), 2_ns);
  const IntervalSeries coarse = series.coarser(60);
  ASSERT_EQ(coarse.counts().size(), 60U);
  EXPECT_EQ(coarse.width(), 40_ns);
  std::uint64_t committed = 0;
  for (const IntervalCounts& counts : coarse.counts()) {
    EXPECT_NEAR(static_cast<double>(counts.committed), 40 / 3.0, 1);
    EXPECT_EQ(counts.latency_ns, 2 * counts.committed);
    committed += counts.committed;
  }
  EXPECT_EQ(committed, 800U);
  EXPECT_EQ(IntervalSeries(0_ns, 50_ns).coarser(60).counts().size(), 50U);
}

}  // namespace
}  // namespace verbena::workloads
