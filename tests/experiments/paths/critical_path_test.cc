// Means of what many ways were made of.
#include "experiments/paths/critical_path.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

constexpr Part kWork = {Place::kOwnCore, Part::Kind::kActivity, 0};
constexpr Part kWire = {Place::kNetwork, Part::Kind::kStation, 1};

// It works for `work_ns`, then has a request on the network for `wire_ns`.
Way way_of(std::int64_t work_ns, std::int64_t wire_ns) {
  Way way(Picoseconds(1000));
  way.go_on(kWork, way.until() + Picoseconds(1000 * work_ns));
  way.begin_request();
  way.go_on(kWire, way.until() + Picoseconds(1000 * wire_ns));
  return way;
}

TEST(PathSums, KnowNothingOfNothing) {
  const CriticalPath path = PathSums().means();
  EXPECT_EQ(path.transactions, 0U);
  EXPECT_TRUE(path.rows.empty());
}

TEST(PathSums, LeaveOutWhatComesAfterTheDecision) {
  const Way way = way_of(10, 20);
  PathSums sums;
  sums.add(way, way.begin() + Picoseconds(10'000));
  CriticalPath path = sums.means();
  EXPECT_EQ(path.mean_ns, 10);
  EXPECT_EQ(path.requests, 0);
  sums.clear();
  sums.add(way, way.begin() + Picoseconds(25'000));
  path = sums.means();
  ASSERT_EQ(path.rows.size(), 2U);
  EXPECT_EQ(path.mean_ns, 25);
  EXPECT_EQ(path.rows[0].part, kWork);
  EXPECT_EQ(path.rows[1].mean_ns, 15);
  EXPECT_EQ(path.requests, 1);
}

TEST(PathSums, TellTheSlowestApart) {
  PathSums sums;
  for (int i = 0; i < 198; ++i) {
    const Way way = way_of(10, 20);
    sums.add(way, way.until());
  }
  for (int i = 0; i < 2; ++i) {
    const Way way = way_of(10, 520);
    sums.add(way, way.until());
  }
  const CriticalPath path = sums.means();
  EXPECT_EQ(path.transactions, 200U);
  EXPECT_EQ(path.slowest, 2U);
  EXPECT_DOUBLE_EQ(path.mean_ns, 35);
  EXPECT_DOUBLE_EQ(path.slowest_mean_ns, 530);
  EXPECT_DOUBLE_EQ(path.rows[1].slowest_mean_ns, 520);
}

}  // namespace
}  // namespace verbena::experiments
