// Records that transactions write into the log rings of backups, and what the backups make of them.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tests/txn/occ/interruption.h"
#include "txn/log/log_record.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;

constexpr TableId kLong = 0;  // records of several lines
constexpr TableId kShort = 1;
constexpr std::uint32_t kWords = 20;

/// A logged update without its payload, which is that of the word.
struct Logged {
  TableId table;
  PartitionId partition;
  Key key;
  std::uint32_t entry;
  std::uint64_t version;
  std::uint64_t word;

  bool operator==(const Logged&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Logged& update) {
  return out << "table " << int{update.table} << " partition " << update.partition << " key "
             << update.key << " entry " << update.entry << " version " << std::hex << update.version
             << std::dec << " word " << update.word;
}

class LogContents : public PlanTest {
 protected:
  // Node n has the primary copy of partition n; nodes n + 1 and n + 2 back it up.
  static ClusterOptions options() {
    ClusterOptions options;
    options.fabric = {.nodes = 4};
    options.schema = {word_table("long", kWords, 10, 20), word_table("short", 1, 10)};
    options.plan = plan_preset(GetParam());
    options.replicas = 3;
    options.log_ring_bytes = 16384;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, LogContents, ::testing::ValuesIn(plan_names()), plan_test_name);

// All words of a payload are the same.
std::uint64_t only_word(const std::byte* payload, std::uint32_t bytes) {
  const std::uint64_t word = load_word(payload);
  for (std::uint32_t at = 0; at < bytes; at += 8) EXPECT_EQ(load_word(payload + at), word) << at;
  return word;
}

// The updates of the record at `position` of node 0's ring at `backup`.
std::vector<Logged> logged(TransactionCluster& cluster, NodeId backup, std::uint64_t position,
                           std::uint64_t sequence, const std::vector<PartitionId>& partitions) {
  std::vector<Logged> updates;
  std::vector<std::byte> copy;
  const auto record =
      LogRecordReader::parse(cluster.node(backup).ring(0, 0).read_record(position, copy), position);
  if (!record) return updates;
  EXPECT_EQ(LockOwner::of(record->header().owner),
            (LockOwner{.attempt = static_cast<std::uint16_t>(sequence)}));
  EXPECT_EQ(record->header().sequence, sequence);
  std::vector<PartitionId> written(record->header().partitions);
  std::memcpy(written.data(), record->partitions().data(), written.size() * sizeof(PartitionId));
  EXPECT_EQ(written, partitions);
  const auto bytes = [&](TableId table) { return cluster.node(0).schema()[table].payload_bytes; };
  record->for_each(bytes, [&](const LogUpdate& update, const std::byte* payload) {
    updates.push_back({update.table, update.partition, update.key, update.entry, update.version,
                       only_word(payload, bytes(update.table))});
  });
  return updates;
}

void fill(std::span<std::byte> payload, std::uint64_t word) {
  for (std::size_t at = 0; at < payload.size(); at += 8) store_word(payload.data() + at, word);
}

// Node 0 updates, inserts and erases a record of partition 1, and updates one of partition 2.
bool write_all(Transaction& transaction) {
  transaction.begin();
  const auto updated = transaction.want(kLong, 1, 3, Intent::kUpdate);
  const auto inserted = transaction.want(kLong, 1, 500, Intent::kInsert);
  const auto erased = transaction.want(kLong, 1, 4, Intent::kUpdate);
  const auto other = transaction.want(kShort, 2, 5, Intent::kUpdate);
  transaction.want(kShort, 3, 6, Intent::kRead);
  if (!transaction.fetch()) return transaction.commit();
  fill(transaction.update_payload(updated), 71);
  fill(transaction.create_payload(inserted), 72);
  transaction.erase(erased);
  fill(transaction.update_payload(other), 73);
  return transaction.commit();
}

// Updates that such a transaction logs of partition 1 and of partition 2.
std::vector<Logged> of_partition_1(std::uint32_t inserted) {
  return {{kLong, 1, 3, 3, kInitialVersion + 1, 71},
          {kLong, 1, 500, inserted, 1, 72},
          {kLong, 1, 4, 4, next_version(kInitialVersion, false), initial_word(1, 4)}};
}
const Logged kOfPartition2{kShort, 2, 5, 5, kInitialVersion + 1, 73};

TEST_P(LogContents, AreTheChangesOfThePartitionsThatTheBackupHas) {
  for (const bool whole : {false, true}) {
    ClusterOptions used = options();
    used.plan.whole_log = whole;
    TransactionCluster cluster(used);
    cluster.run_on(0, [&](Transaction& transaction) {
      ASSERT_TRUE(write_all(transaction));
      std::vector<Logged> all = of_partition_1(10);
      std::map<NodeId, std::vector<Logged>> expected;
      if (!whole) expected[2] = all;
      all.push_back(kOfPartition2);
      expected[3] = all;
      expected[0] = whole ? all : std::vector{kOfPartition2};
      if (whole) expected[2] = all;
      for (NodeId node = 0; node < 4; ++node) {
        SCOPED_TRACE("node " + std::to_string(node));
        EXPECT_EQ(logged(cluster, node, 0, 1, {1, 2}), expected[node]);
      }
    });
  }
}

// Node 0's own partition, of which nothing is written, has its backups on nodes 1 and 2.
TEST_P(LogContents, GoToTheBackupsOfTheCoordinatorsOwnPartitionToo) {
  for (const bool whole : {false, true}) {
    ClusterOptions used = options();
    used.plan.whole_log = whole;
    used.plan.log_own_backups = true;
    TransactionCluster cluster(used);
    cluster.run_on(0, [&](Transaction& transaction) {
      ASSERT_TRUE(write_all(transaction));
      const auto bytes =
          log_frame_bytes(2) + (whole ? 3 * log_update_bytes(kWords * 8) + log_update_bytes(8) : 0);
      std::vector<std::byte> copy;
      const auto record =
          LogRecordReader::parse(cluster.node(1).ring(0, 0).read_record(0, copy), 0);
      ASSERT_TRUE(record);
      EXPECT_EQ(record->header().updates, whole ? 4 : 0);
      EXPECT_EQ(record->header().bytes, bytes);
      std::vector<Logged> all = of_partition_1(10);
      if (whole) all.push_back(kOfPartition2);
      EXPECT_EQ(logged(cluster, 2, 0, 1, {1, 2}), all) << "one record, though it backs up both";
      EXPECT_EQ(cluster.counter(Counter::kLogRecords), 4U);
    });
    EXPECT_EQ(cluster.applied_updates(), 2 * 4U);
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
}

// Before anybody asks for the rings' space, or at all.
TEST_P(LogContents, AreAppliedOnceMessagesBringThemAgain) {
  for (const bool whole : {false, true}) {
    ClusterOptions used = options();
    used.plan.whole_log = whole;
    used.plan.log_again = true;
    TransactionCluster cluster(used);
    cluster.run_on(0, [&](Transaction& transaction) {
      ASSERT_TRUE(write_all(transaction));
      transaction.wait(50 * kMicrosecond);
      EXPECT_EQ(cluster.counter(Counter::kAppliedUpdates), 2 * 4U);
      EXPECT_EQ(cluster.counter(Counter::kLogReclaims), 0U);
      EXPECT_EQ(logged(cluster, 3, 0, 1, {1, 2}).size(), 4U) << "the log holds them too";
    });
    EXPECT_EQ(cluster.applied_updates(), 2 * 4U) << "not a second time";
    EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  }
}

// How long a commit takes that waits for its replies.
Nanoseconds time_of_commit(ClusterOptions options, bool again) {
  options.plan.commit.passive = false;
  options.plan.log_again = again;
  TransactionCluster cluster(options);
  Nanoseconds taken = 0;
  const rdma::Worker& worker = cluster.node(0).endpoint().worker(0);
  cluster.run_on(0, [&](Transaction& transaction) {
    transaction.begin();
    const auto record = transaction.want(kLong, 1, 3, Intent::kUpdate);
    ASSERT_TRUE(transaction.fetch());
    fill(transaction.update_payload(record), 71);
    const Nanoseconds began = worker.now();
    EXPECT_TRUE(transaction.commit());
    taken = worker.now() - began;
  });
  return taken;
}

TEST_P(LogContents, ThatComeAgainAreWaitedForTogetherWithTheCommit) {
  if (testing::on_hardware()) GTEST_SKIP() << "how long a commit takes is the machine's there";
  const Nanoseconds once = time_of_commit(options(), false);
  const Nanoseconds twice = time_of_commit(options(), true);
  EXPECT_GT(twice, once);
  EXPECT_LT(twice - once, 2500_ns) << "a round trip of their own takes longer";
}

TEST_P(LogContents, ThatComeAgainKeepUpWithRingsThatFill) {
  ClusterOptions used = options();
  used.plan.whole_log = used.plan.log_own_backups = used.plan.log_again = true;
  used.log_ring_bytes = 4096;
  TransactionCluster cluster(used);
  constexpr std::uint64_t kRounds = 40;
  cluster.run_on(0, [&](Transaction& transaction) {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      update(transaction, {.table = kLong, .partition = 1, .key = round % 10}, round);
    }
  });
  EXPECT_EQ(cluster.applied_updates(), 2 * kRounds);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// The second record follows the first.
TEST_P(LogContents, HaveTheVersionsThatFollowThoseOfTheRecordBefore) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [&](Transaction& transaction) {
    for (const std::uint64_t round : {1U, 2U}) {
      transaction.begin();
      const auto record = transaction.want(kLong, 1, 3);
      ASSERT_TRUE(transaction.fetch());
      fill(transaction.update_payload(record), 80 + round);
      ASSERT_TRUE(transaction.commit());
      transaction.wait(50 * kMicrosecond);
      const std::uint64_t position =
          (round - 1) * (log_frame_bytes(1) + log_update_bytes(kWords * 8));
      for (const NodeId backup : {NodeId{2}, NodeId{3}}) {
        EXPECT_EQ(logged(cluster, backup, position, round, {1}),
                  (std::vector<Logged>{{kLong, 1, 3, 3, kInitialVersion + round, 80 + round}}));
      }
    }
  });
}

TEST_P(LogContents, OfWhatAbortsOrRollsBackAreNone) {
  TransactionCluster cluster(options());
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        transaction.begin();
        const auto read = transaction.want(kShort, 1, 3);
        const auto written = transaction.want(kLong, 2, 3, Intent::kUpdate);
        ASSERT_TRUE(transaction.fetch());
        EXPECT_TRUE(transaction.found(read));
        fill(transaction.update_payload(written), 71);
        pause();
        EXPECT_FALSE(transaction.commit());
        transaction.wait(50 * kMicrosecond);
        transaction.begin();
        const auto given_up = transaction.want(kLong, 2, 3, Intent::kUpdate);
        ASSERT_TRUE(transaction.fetch());
        fill(transaction.update_payload(given_up), 71);
        EXPECT_TRUE(transaction.roll_back());
        std::vector<std::byte> copy;
        for (NodeId node = 0; node < 4; ++node) {
          EXPECT_EQ(load_word(cluster.node(node).ring(0, 0).read(0, 8, copy).data()), 0U)
              << "node " << node;
        }
      },
      [](Transaction& transaction) {
        update(transaction, {kShort, 1, 3}, 9);
      });
}

Store& store_of(TransactionCluster& cluster, PartitionId partition, CopyId copy) {
  return cluster.node(cluster.node(0).layout().placement().holder(partition, copy)).store();
}
// Where a key is in the index of a copy.
std::optional<std::uint32_t> indexed(TransactionCluster& cluster, PartitionId partition,
                                     CopyId copy, Key key) {
  return store_of(cluster, partition, copy).find_at_rest(copy, kLong, key);
}
std::uint64_t version_at(TransactionCluster& cluster, PartitionId partition, CopyId copy,
                         std::uint32_t entry) {
  return load_word(store_of(cluster, partition, copy).record(copy, kLong, entry) + kVersionOffset);
}

TEST_P(LogContents, AreAppliedOnceByEveryBackup) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [](Transaction& transaction) { ASSERT_TRUE(write_all(transaction)); });
  EXPECT_EQ(cluster.applied_updates(), 2 * 4U);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  for (const CopyId copy : {CopyId{1}, CopyId{2}}) {
    SCOPED_TRACE("copy " + std::to_string(copy));
    EXPECT_EQ(version_at(cluster, 1, copy, 3), kInitialVersion + 1);
    EXPECT_EQ(indexed(cluster, 1, copy, 500), 10U);
    EXPECT_EQ(version_at(cluster, 1, copy, 10), 1U);
    EXPECT_EQ(indexed(cluster, 1, copy, 4), std::nullopt);
    EXPECT_EQ(version_at(cluster, 1, copy, 4), next_version(kInitialVersion, false));
  }
  // No account is kept of these rings, but applying them again changes nothing.
  cluster.run_on(0, [](Transaction&) {});
  EXPECT_EQ(cluster.changed_at_rest(), 2 * 4U);
}

// A partition at whose backups no log is so long yet that it is applied at once.
constexpr PartitionId kOvertaken = 0;

// Node 0's change comes first, and its log is applied last: backups begin with the last node's.
void change_and_overtake(TransactionCluster& cluster,
                         const std::function<void(Transaction&)>& first,
                         const std::function<void(Transaction&)>& second) {
  run_interrupted(
      cluster,
      [&](Transaction& transaction, const std::function<void()>& pause) {
        first(transaction);
        pause();
      },
      second);
  EXPECT_EQ(cluster.applied_updates(), 2 * 2U);
  EXPECT_EQ(cluster.changed_at_rest(), 2U) << "at each backup the second change came first";
}

TEST_P(LogContents, OfUpdatesAreAppliedInWhateverOrder) {
  TransactionCluster cluster(options());
  const RecordName name{kLong, kOvertaken, 3};
  change_and_overtake(
      cluster, [&](Transaction& transaction) { update(transaction, name, 71); },
      [&](Transaction& transaction) { update(transaction, name, 72); });
  EXPECT_EQ(cluster.word(name), 72U);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

TEST_P(LogContents, OfAnInsertAndItsErasureAreAppliedInWhateverOrder) {
  TransactionCluster cluster(options());
  const RecordName name{kLong, kOvertaken, 500};
  change_and_overtake(
      cluster, [&](Transaction& transaction) { insert(transaction, name, 71); },
      [&](Transaction& transaction) { erase(transaction, name); });
  for (const CopyId copy : {CopyId{1}, CopyId{2}}) {
    EXPECT_EQ(indexed(cluster, kOvertaken, copy, 500), std::nullopt);
    EXPECT_TRUE(absent(version_at(cluster, kOvertaken, copy, 10)));
  }
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

TEST_P(LogContents, OfAnErasureAndAnInsertThatReusesTheEntryAreAppliedInWhateverOrder) {
  TransactionCluster cluster(options());
  change_and_overtake(
      cluster,
      [](Transaction& transaction) {
        erase(transaction, {kLong, kOvertaken, 4});
      },
      [](Transaction& transaction) {
        insert(transaction, {kLong, kOvertaken, 500}, 72);
      });
  for (const CopyId copy : {CopyId{1}, CopyId{2}}) {
    EXPECT_EQ(indexed(cluster, kOvertaken, copy, 4), std::nullopt);
    EXPECT_EQ(indexed(cluster, kOvertaken, copy, 500), 4U);
  }
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

}  // namespace
}  // namespace verbena::txn::occ
