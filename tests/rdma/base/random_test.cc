// The random streams: different for different fibers, uniform, repeatable.
#include "rdma/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "rdma/base/backoff.h"

namespace verbena::txn {
namespace {

TEST(Random, RepeatsForTheSameSeedAndPlace) {
  Random a(1, 2, 3, 4);
  Random b(1, 2, 3, 4);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a.next(), b.next());
}

TEST(Random, DiffersBetweenSeedsNodesWorkersAndFibers) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (NodeId node = 0; node < 4; ++node) {
      for (WorkerId worker = 0; worker < 4; ++worker) {
        for (std::uint32_t fiber = 0; fiber < 4; ++fiber)
          first.insert(Random(seed, node, worker, fiber).next());
      }
    }
  }
  EXPECT_EQ(first.size(), 256U);
}

TEST(Random, IsUniformBelowABound) {
  Random random(7);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[random.below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, StaysBetweenItsEnds) {
  Random random(7);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Backoff, GrowsUpToItsLimit) {
  Random random(3);
  Nanoseconds early = 0;
  Nanoseconds late = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Backoff backoff;
    const Nanoseconds first = backoff.next(random, kMicrosecond);
    EXPECT_LE(first, Backoff::kFirst);
    early += first;
    Nanoseconds last = 0;
    for (int i = 0; i < 20; ++i) last = backoff.next(random, Backoff::kMost);
    EXPECT_LE(last, Backoff::kMost);
    late += last;
  }
  EXPECT_GT(late, early * (Backoff::kMost / Backoff::kFirst) / 2);
}

// Two attempts that take longer than the usual limit do not meet for ever.
TEST(Backoff, GrowsWithAttemptsThatTakeLonger) {
  Random random(3);
  const Nanoseconds attempt = 4 * Backoff::kMost;
  int apart = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Backoff one;
    Backoff other;
    Nanoseconds between = 0;
    for (int i = 0; i < 20; ++i) between = one.next(random, attempt) - other.next(random, attempt);
    if (std::max(between, -between) >= attempt) ++apart;
  }
  EXPECT_GT(apart, 25) << "a quarter of them are, if waits are twice as long as attempts";
}

}  // namespace
}  // namespace verbena::txn
