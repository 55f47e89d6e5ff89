// Owners of locks: lock words name the attempt, and an attempt releases its own locks only, all of
// them, whatever datagrams were lost.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rdma/worker.h"
#include "tests/support/cable.h"
#include "tests/txn/occ/interruption.h"
#include "txn/occ/attempt/coordinator.h"
#include "txn/occ/node/messages.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;
using testing::Cable;

constexpr TableId kItems = 0;
const RecordName kRecord{kItems, 1, 3};
constexpr std::uint64_t kStranger = 0x7777'0000'0000'0001;

ClusterOptions options_of(const std::string& plan) {
  ClusterOptions options;
  options.schema = {word_table("items", 1, 100)};
  options.plan = plan_preset(plan);
  return options;
}

std::uint64_t lock_of(TransactionCluster& cluster, const RecordName& name) {
  return load_word(cluster.live(name));
}

class LockOwners : public PlanTest {};

INSTANTIATE_TEST_SUITE_P(Plans, LockOwners, ::testing::ValuesIn(plan_names()), plan_test_name);

// Node 2 watches while node 0 writes a record of its own, of node 1, and of node 2.
TEST_P(LockOwners, AreTheAttemptsThatWrite) {
  TransactionCluster cluster(options_of(GetParam()));
  std::array<std::set<std::uint64_t>, 3> seen;
  bool through = false;
  cluster.run([&](Transaction& transaction, const Place& place) {
    if (place.node == 2) {
      while (!through) {
        for (PartitionId p = 0; p < 3; ++p) seen[p].insert(lock_of(cluster, {kItems, p, 3}));
        transaction.wait(100_ns);
      }
    }
    if (place.node != 0) return;
    for (int attempt = 1; attempt <= 2; ++attempt) {
      transaction.begin();
      for (PartitionId p = 0; p < 3; ++p) transaction.want(kItems, p, 3, Intent::kUpdate);
      ASSERT_TRUE(transaction.fetch());
      for (Transaction::Handle i = 0; i < 3; ++i) transaction.update<std::uint64_t>(i) += 1;
      EXPECT_TRUE(transaction.commit());
      transaction.wait(50 * kMicrosecond);
    }
    through = true;
  });
  for (const std::set<std::uint64_t>& of_record : seen) {
    EXPECT_EQ(of_record, (std::set<std::uint64_t>{kUnlocked, LockOwner{.attempt = 1}.word(),
                                                  LockOwner{.attempt = 2}.word()}));
  }
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// Each of several fibers of several workers of several nodes locks a record of its own, and again.
TEST(LockWords, OfAllFibersWorkersNodesAndAttemptsDiffer) {
  ClusterOptions options = options_of("fasst");
  options.fabric = {.nodes = 3, .workers = 2};
  options.fibers = 2;
  TransactionCluster cluster(options);
  std::set<std::uint64_t> words;
  cluster.run([&](Transaction& transaction, const Place& place) {
    const RecordName own{kItems, 1, Key{place.node} * 4U + place.worker * 2U + place.fiber};
    for (std::uint16_t attempt = 1; attempt <= 2; ++attempt) {
      transaction.begin();
      transaction.want(own, Intent::kUpdate);
      ASSERT_TRUE(transaction.fetch());
      const LockOwner self{
          .node = place.node, .worker = place.worker, .fiber = place.fiber, .attempt = attempt};
      EXPECT_EQ(lock_of(cluster, own), self.word());
      words.insert(lock_of(cluster, own));
      EXPECT_TRUE(transaction.roll_back());
    }
  });
  EXPECT_EQ(words.size(), 3 * 2 * 2 * 2U);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// All fibers want the same record: who comes too late aborts, and the lock stays with its owner.
TEST(Locks, StayWithTheirOwnersWhenOthersAbort) {
  ClusterOptions options = options_of("fasst");
  options.fabric = {.nodes = 3, .workers = 2};
  options.fibers = 2;
  TransactionCluster cluster(options);
  std::optional<std::uint64_t> held;
  int refused = 0;
  cluster.run([&](Transaction& transaction, const Place& place) {
    const bool owner = place.node == 0 && place.worker == 0 && place.fiber == 0;
    if (!owner) transaction.wait(50 * kMicrosecond);
    transaction.begin();
    transaction.want(kItems, 1, 10U + place.fiber, Intent::kRead);
    transaction.want(kRecord, Intent::kUpdate);
    EXPECT_EQ(transaction.fetch(), owner);
    if (owner) {
      held = lock_of(cluster, kRecord);
      transaction.wait(kMillisecond);
      EXPECT_EQ(refused, 11) << "all others were there";
      EXPECT_EQ(lock_of(cluster, kRecord), *held);
      EXPECT_TRUE(transaction.commit());
    } else {
      EXPECT_EQ(transaction.cause(), Abort::kReadLocked);
      transaction.abandon();
      EXPECT_EQ(lock_of(cluster, kRecord), *held);
      ++refused;
    }
  });
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// Node 0 tells node 1 that it unlocks a record that another has locked.
TEST(UnlockMessages, OfOthersDoNotRelease) {
  TransactionCluster cluster(options_of("two-sided"));
  const RecordName other{kItems, 1, 4};
  cluster.run_on(0, [&](Transaction& transaction) {
    const LockOwner self{.attempt = 7};
    shared_word(cluster.live(kRecord)).store(kStranger);
    shared_word(cluster.live(other)).store(self.word());
    struct {
      GroupHeader group;
      RecordCheck records[2];
    } message{
        .group = {.owner = self.word(), .records = 2, .reserved = 0},
        .records = {{.version = kInitialVersion, .entry = 3, .table = kItems, .reserved = {}},
                    {.version = kInitialVersion, .entry = 4, .table = kItems, .reserved = {}}}};
    cluster.coordinator(0, 0).worker().rpc().notify(1, Method::kUnlock,
                                                    std::as_bytes(std::span(&message, 1)));
    transaction.wait(100 * kMicrosecond);
    EXPECT_EQ(lock_of(cluster, kRecord), kStranger);
    EXPECT_EQ(lock_of(cluster, other), kUnlocked) << "the other one was its own";
    shared_word(cluster.live(kRecord)).store(kUnlocked);
  });
}

// For a time node 1 does what it is asked to, and its replies are lost. They come again when node 0
// has repeated its requests.
class LostReplies : public ::testing::Test {
 protected:
  static constexpr Nanoseconds kMended = 2 * kMillisecond;  // before anything is repeated

  // Runs `lock` on node 0 while the replies of node 1 are lost; `meanwhile` looks at the state when
  // the request has been executed, before replies can come again.
  static void run(TransactionCluster& cluster, const std::function<void(Transaction&)>& before,
                  const std::function<void(Transaction&)>& lock,
                  const std::function<void()>& meanwhile) {
    bool interrupted = false;
    cluster.run([&](Transaction& transaction, const Place& place) {
      Cable replies = Cable::from(1);
      if (place.node == 0) {
        before(transaction);
        replies.interrupt();
        interrupted = true;
        lock(transaction);
      } else if (place.node == 2) {
        while (!interrupted) transaction.wait(kMicrosecond);
        transaction.wait(kMended);
        meanwhile();
        replies.mend();
      }
    });
    EXPECT_GT(cluster.coordinator(0, 0).worker().counters().retransmissions, 0U);
    EXPECT_GT(cluster.coordinator(1, 0).worker().counters().duplicates, 0U);
  }
};

TEST_F(LostReplies, OfALockRequestLeaveNoLock) {
  TransactionCluster cluster(options_of("two-sided"));
  run(
      cluster,
      [](Transaction& transaction) {
        transaction.begin();
        const auto record = transaction.want(kRecord, Intent::kUpdate);
        ASSERT_TRUE(transaction.fetch());
        transaction.update<std::uint64_t>(record) = 71;
      },
      [](Transaction& transaction) { EXPECT_TRUE(transaction.commit()); },
      [&] { EXPECT_EQ(lock_of(cluster, kRecord), LockOwner{.attempt = 1}.word()); });
  EXPECT_EQ(lock_of(cluster, kRecord), kUnlocked);
  EXPECT_EQ(cluster.word(kRecord), 71U);
  EXPECT_EQ(cluster.version(kRecord), kInitialVersion + 1);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

TEST_F(LostReplies, OfAReadThatLocksLeaveNoLock) {
  TransactionCluster cluster(options_of("fasst"));
  run(
      cluster, [](Transaction& transaction) { transaction.begin(); },
      [](Transaction& transaction) {
        transaction.want(kRecord, Intent::kUpdate);
        EXPECT_TRUE(transaction.fetch());
        EXPECT_TRUE(transaction.roll_back());
      },
      [&] { EXPECT_EQ(lock_of(cluster, kRecord), LockOwner{.attempt = 1}.word()); });
  EXPECT_EQ(lock_of(cluster, kRecord), kUnlocked);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// The answer is the first one's, although the lock has become free.
TEST_F(LostReplies, OfARefusedLockRequestLeaveTheOwnersLock) {
  TransactionCluster cluster(options_of("two-sided"));
  const RecordName other{kItems, 1, 4};
  run(
      cluster,
      [&](Transaction& transaction) {
        transaction.begin();
        const auto first = transaction.want(other, Intent::kUpdate);
        const auto second = transaction.want(kRecord, Intent::kUpdate);
        ASSERT_TRUE(transaction.fetch());
        transaction.update<std::uint64_t>(first) = 71;
        transaction.update<std::uint64_t>(second) = 71;
        shared_word(cluster.live(kRecord)).store(kStranger);
      },
      [&](Transaction& transaction) {
        EXPECT_FALSE(transaction.commit());
        EXPECT_EQ(transaction.cause(), Abort::kLockConflict);
        transaction.wait(kMillisecond);
        EXPECT_EQ(lock_of(cluster, other), kStranger + 2);
        shared_word(cluster.live(other)).store(kUnlocked);
      },
      [&] {
        EXPECT_EQ(lock_of(cluster, kRecord), kStranger);
        EXPECT_EQ(lock_of(cluster, other), kUnlocked) << "all or none";
        shared_word(cluster.live(kRecord)).store(kUnlocked);
        // Somebody else's by now, which the attempt does not hold.
        shared_word(cluster.live(other)).store(kStranger + 2);
      });
  EXPECT_EQ(cluster.word(kRecord), initial_word(1, 3));
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// Its acknowledgement is lost, and when it comes again the record has another owner.
TEST_F(LostReplies, OfACommitMessageLeaveTheNextOwnersLock) {
  TransactionCluster cluster(options_of("two-sided"));
  run(
      cluster, [](Transaction& transaction) { update(transaction, kRecord, 71); },
      [&](Transaction& transaction) {
        transaction.wait(10 * kMillisecond);
        EXPECT_EQ(lock_of(cluster, kRecord), kStranger);
        EXPECT_EQ(cluster.word(kRecord), 72U);
        shared_word(cluster.live(kRecord)).store(kUnlocked);
      },
      [&] {
        EXPECT_EQ(lock_of(cluster, kRecord), kUnlocked) << "the commit has been executed";
        EXPECT_EQ(cluster.word(kRecord), 71U);
        shared_word(cluster.live(kRecord)).store(kStranger);
        store_word(cluster.live(kRecord) + kRecordHeaderBytes, 72);
      });
}

}  // namespace
}  // namespace verbena::txn::occ
