// Attempts by snapshots, whatever a snapshot is: how they begin, come by it, and end.
#include "txn/snapshot/snapshot_transaction.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rdma/worker.h"
#include "tests/support/test_fabric.h"

namespace verbena::txn {
namespace {

constexpr AbortCause kLost{1};
constexpr AbortCause kRolledBack{2};
constexpr Nanoseconds kLongest = kMillisecond;

// A system whose snapshots take some time to come, and whose commits count from 1.
class Commits final : public SnapshotTransaction {
 public:
  static constexpr Nanoseconds kAsk = 3 * kMicrosecond;

  explicit Commits(rdma::Worker& worker)
      : SnapshotTransaction(worker, {.name = "longest", .value = kLongest, .by_default = kLongest},
                            kRolledBack) {}

  std::vector<Stamp> asked;                        // own commits for which snapshots were asked
  std::vector<std::optional<AbortCause>> counted;  // attempts, by cause
  std::uint32_t over = 0;                          // transactions
  std::uint32_t awaited = 0;                       // answers, by attempts rolled back

  using SnapshotTransaction::doom;
  using SnapshotTransaction::snapshot_age;
  using SnapshotTransaction::snapshot_time;

 protected:
  void forget_attempt() override {}
  ReadSnapshot ask_for_snapshot(const Stamp& own) override {
    asked.push_back(own);
    const Nanoseconds began = worker_.now();
    worker_.sleep_until(began + kAsk);
    return {.counts = counts_, .fetched_at = began};
  }
  void await_answers() override { ++awaited; }
  void count_attempt(Nanoseconds) override { counted.push_back(cause()); }
  void transaction_over() override { ++over; }
  Handle note(const RecordName&, Intent) override { return 0; }
  bool fetch_noted() override {
    need_snapshot();
    return true;
  }
  bool commit_attempt() override {
    if (!doomed()) set_last_commit({.slot = 1, .count = ++commits_});
    return end();
  }

 private:
  std::array<std::uint32_t, 2> counts_ = {};
  std::uint32_t commits_ = 0;
};

void run(const std::function<void(Commits&, rdma::Worker&)>& body) {
  testing::Cluster cluster({});
  rdma::Worker& worker = cluster.worker(static_cast<NodeId>(0));
  worker.spawn([&] {
    Commits transaction(worker);
    body(transaction, worker);
  });
  cluster.run();
}

TEST(SnapshotTransaction, TakesOneSnapshotInAnAttempt) {
  run([](Commits& transaction, rdma::Worker&) {
    for (std::size_t attempt = 1; attempt <= 2; ++attempt) {
      transaction.begin();
      EXPECT_FALSE(transaction.snapshot_age().taken());
      EXPECT_TRUE(transaction.fetch());
      EXPECT_TRUE(transaction.fetch());
      EXPECT_EQ(transaction.asked.size(), attempt);
      EXPECT_GE(transaction.snapshot_time(), Commits::kAsk);
      EXPECT_TRUE(transaction.commit());
    }
  });
}

TEST(SnapshotTransaction, AsksForItsLastCommit) {
  run([](Commits& transaction, rdma::Worker&) {
    for (const bool commits : {true, false, true}) {
      transaction.begin();
      EXPECT_TRUE(transaction.fetch());
      if (!commits) transaction.doom(kLost);
      EXPECT_EQ(transaction.commit(), commits);
    }
    EXPECT_EQ(transaction.asked,
              (std::vector<Stamp>{{}, {.slot = 1, .count = 1}, {.slot = 1, .count = 1}}));
  });
}

TEST(SnapshotTransaction, IsRolledBackUnlessItIsDoomed) {
  run([](Commits& transaction, rdma::Worker&) {
    transaction.begin();
    EXPECT_TRUE(transaction.roll_back());
    transaction.begin();
    transaction.doom(kLost);
    EXPECT_FALSE(transaction.roll_back());
    EXPECT_EQ(transaction.awaited, 2U);
    EXPECT_EQ(transaction.counted, (std::vector<std::optional<AbortCause>>{kRolledBack, kLost}));
  });
}

TEST(SnapshotTransaction, IsOverWhenItIsNotTriedAgain) {
  run([](Commits& transaction, rdma::Worker&) {
    transaction.begin();
    transaction.doom(kLost);
    transaction.abandon();
    EXPECT_EQ(transaction.over, 0U);
    transaction.begin();
    transaction.commit();
    EXPECT_EQ(transaction.over, 1U);
    transaction.begin();
    transaction.roll_back();
    EXPECT_EQ(transaction.over, 2U);
  });
}

TEST(SnapshotTransaction, HasASnapshotThatGetsTooOldSinceItWasAskedFor) {
  run([](Commits& transaction, rdma::Worker& worker) {
    transaction.begin();
    const Nanoseconds asked_at = worker.now();
    EXPECT_TRUE(transaction.fetch());
    EXPECT_GE(transaction.snapshot_age().began_at(), asked_at);
    EXPECT_LT(transaction.snapshot_age().began_at(), asked_at + Commits::kAsk);
    EXPECT_TRUE(transaction.snapshot_age().usable());
    worker.sleep_until(transaction.snapshot_age().began_at() + kLongest + kMicrosecond);
    EXPECT_FALSE(transaction.snapshot_age().usable());
    transaction.doom(kLost);
    transaction.abandon();
  });
}

}  // namespace
}  // namespace verbena::txn
