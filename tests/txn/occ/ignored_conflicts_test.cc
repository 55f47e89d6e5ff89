// Where conflicts are ignored transactions commit whatever others do meanwhile, and leave no locks.
#include <gtest/gtest.h>

#include <string>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/txn/occ/interruption.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;

class IgnoredConflicts : public PlanTest {
 protected:
  static ClusterOptions options(bool ignored = true) {
    ClusterOptions options;
    options.fabric = {.nodes = 3};
    options.schema = {word_table("words", 1, 10, 20), word_table("long", 20, 10)};
    options.plan = plan_preset(GetParam());
    options.plan.ignore_conflicts = ignored;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, IgnoredConflicts, ::testing::ValuesIn(plans_of_fabric()),
                         plan_test_name);

// Node 0 reads a record and updates another; between them and its commit node 1 updates the first.
bool commits(const ClusterOptions& options, TableId table) {
  TransactionCluster cluster(options);
  bool committed = false;
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        transaction.begin();
        transaction.want(table, 2, 3, Intent::kRead);
        const auto written = transaction.want(table, 1, 4, Intent::kUpdate);
        ASSERT_TRUE(transaction.fetch());
        store_word(transaction.update_payload(written).data(), 71);
        pause();
        committed = transaction.commit();
      },
      [&](Transaction& transaction) {
        update(transaction, {.table = table, .partition = 2, .key = 3}, 72);
      });
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  return committed;
}

TEST_P(IgnoredConflicts, LetATransactionCommitThatHasReadWhatChanged) {
  if (testing::on_hardware()) GTEST_SKIP() << "what comes between is told in simulated time";
  for (const TableId table : {TableId{0}, TableId{1}}) {
    EXPECT_TRUE(commits(options(), table));
    EXPECT_FALSE(commits(options(false), table));
  }
}

// Eight streams of transactions on two records, one of each partition.
TEST_P(IgnoredConflicts, AbortNothingWhereManyMeet) {
  ClusterOptions used = options();
  used.fabric.chaos = !testing::on_hardware();
  used.fibers = 4;
  TransactionCluster cluster(used);
  std::uint64_t aborted = 0;
  std::uint64_t committed = 0;
  cluster.run([&](Transaction& transaction, const Place&) {
    for (int i = 0; i < 20; ++i) {
      transaction.begin();
      const auto one = transaction.want(0, 0, 1, Intent::kUpdate);
      const auto two = transaction.want(1, 1, 1, Intent::kUpdate);
      if (transaction.fetch()) {
        store_word(transaction.update_payload(one).data(), 7);
        store_word(transaction.update_payload(two).data(), 7);
      }
      ++(transaction.commit() ? committed : aborted);
    }
  });
  EXPECT_EQ(committed + aborted, 3 * 4 * 20U);
  // FaSST's locks, taken when records are read, do abort.
  if (!used.plan.lock_in_execution) {
    EXPECT_EQ(aborted, 0U);
  }
  EXPECT_GT(committed, 0U);
  for (const RecordName& name : {RecordName{0, 0, 1}, RecordName{1, 1, 1}}) {
    EXPECT_EQ(load_word(cluster.live(name) + kLockOffset), kUnlocked);
    EXPECT_EQ(cluster.word(name), 7U);
  }
}

TEST_P(IgnoredConflicts, TakeWhatIsInsertedForAbsent) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [&](Transaction& transaction) {
    for (const std::uint64_t word : {1U, 2U}) {
      transaction.begin();
      const auto inserted = transaction.want(0, 1, 500, Intent::kInsert);
      ASSERT_TRUE(transaction.fetch());
      EXPECT_FALSE(transaction.found(inserted));
      store_word(transaction.create_payload(inserted).data(), word);
      ASSERT_TRUE(transaction.commit());
      transaction.wait(50 * kMicrosecond);
    }
  });
  EXPECT_EQ(cluster.word({0, 1, 500}), 2U);
}

TEST_P(IgnoredConflicts, RefuseToErase) {
  TransactionCluster cluster(options());
  EXPECT_THROW(cluster.run_on(0,
                              [&](Transaction& transaction) {
                                erase(transaction, {0, 1, 3});
                              }),
               ConfigurationError);
}

}  // namespace
}  // namespace verbena::txn::occ
