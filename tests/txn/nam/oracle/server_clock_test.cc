// Timestamps of a slot that the fibers of a server share.
#include "txn/nam/oracle/server_clock.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/txn/nam/nam_cluster.h"

namespace verbena::testing {
namespace {

using txn::nam::ServerClock;

// As fibers of workers of a cluster.
void on_workers(const std::vector<std::function<void(rdma::Worker&)>>& bodies) {
  std::vector<NamCluster::Body> all;
  all.reserve(bodies.size());
  for (const auto& body : bodies) {
    all.emplace_back([body](txn::Transaction&, rdma::Worker& worker) { body(worker); });
  }
  NamCluster({}).run(all);
}

TEST(NamServerClock, EndsBeforeTheFirstThatIsOpen) {
  on_workers({[](rdma::Worker& worker) {
    ServerClock clock(4);
    for (std::uint32_t count = 1; count <= 3; ++count) {
      EXPECT_EQ(clock.take(worker.core()), (txn::Stamp{.slot = 4, .count = count}));
    }
    clock.done(2, worker);
    clock.done(3, worker);
    EXPECT_EQ(clock.advance(worker.core()), 0U);
    clock.done(1, worker);
    EXPECT_EQ(clock.advance(worker.core()), 3U);
  }});
}

TEST(NamServerClock, GoesOnBeyondItsRing) {
  on_workers({[](rdma::Worker& worker) {
    ServerClock clock(1);
    for (std::uint32_t count = 1; count <= 3 * ServerClock::kRing + 1; ++count) {
      clock.take(worker.core());
      clock.done(count, worker);
      ASSERT_EQ(clock.advance(worker.core()), count);
    }
  }});
}

// Counts beyond the ring must not be taken for open ones, nor overwrite those that are done.
TEST(NamServerClock, WhoIsARingAheadOfWhatIsOpenWaitsForIt) {
  ServerClock clock(1);
  std::uint32_t done = 0;
  Nanoseconds last_done = 0;
  constexpr Nanoseconds kLate = kMillisecond;
  on_workers({[&](rdma::Worker& worker) {
                for (std::uint32_t count = 1; count <= ServerClock::kRing + 1; ++count) {
                  clock.take(worker.core());
                  if (count > 1) clock.done(count, worker);
                  done = count;
                }
                last_done = worker.now();
              },
              [&](rdma::Worker& worker) {
                worker.sleep_until(kLate);
                EXPECT_EQ(done, ServerClock::kRing);
                EXPECT_EQ(clock.advance(worker.core()), 0U);
                clock.done(1, worker);
                EXPECT_EQ(clock.advance(worker.core()), ServerClock::kRing);
              }});
  EXPECT_GE(last_done, kLate);
  on_workers({[&](rdma::Worker& worker) {
    EXPECT_EQ(clock.advance(worker.core()), ServerClock::kRing + 1);
  }});
}

}  // namespace
}  // namespace verbena::testing
