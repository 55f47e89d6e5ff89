// Transactions one at a time: what they read and write, and how each kind of conflict ends them.
#include "txn/occ/transaction.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/txn/occ/transaction_cluster.h"

namespace verbena::txn::occ {
namespace {

constexpr TableId kWords = 0;
constexpr std::uint64_t kStranger = 0x7777'0000'0000'0001;

// Every test runs under every plan, or on a device under those that differ there.
class TransactionTest : public ::testing::TestWithParam<std::string> {
 protected:
  static ClusterOptions options() {
    ClusterOptions options;
    options.plan = plan_preset(GetParam());
    return options;
  }
  static void set_word(std::byte* at, std::uint64_t word) {
    shared_word(at).store(word, std::memory_order_release);
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, TransactionTest, ::testing::ValuesIn(plans_of_fabric()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(TransactionTest, ReadsRecordsOfEveryPartition) {
  TransactionCluster cluster(options());
  cluster.run([](Transaction& transaction, const Place&) {
    for (int attempt = 0; attempt < 2; ++attempt) {  // the second time from the location cache
      transaction.begin(Transaction::Kind::kReadOnly);
      std::array<Transaction::Handle, 3> handles{};
      for (PartitionId p = 0; p < 3; ++p) handles[p] = transaction.want(kWords, p, 7 + p);
      ASSERT_TRUE(transaction.fetch());
      for (PartitionId p = 0; p < 3; ++p) {
        EXPECT_TRUE(transaction.found(handles[p]));
        EXPECT_EQ(transaction.value<std::uint64_t>(handles[p]), initial_word(p, 7 + p));
      }
      EXPECT_TRUE(transaction.commit());
    }
  });
}

TEST_P(TransactionTest, AnUpdateIsSeenByOthersAndAdvancesTheVersionByOne) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [](Transaction& transaction) {
    transaction.begin();
    const auto mine = transaction.want(kWords, 0, 5);
    const auto other = transaction.want(kWords, 2, 6);
    ASSERT_TRUE(transaction.fetch());
    transaction.update<std::uint64_t>(mine) = 111;
    transaction.update<std::uint64_t>(other) += 1;
    EXPECT_TRUE(transaction.commit());
  });
  EXPECT_EQ(cluster.version({kWords, 0, 5}), kInitialVersion + 1);
  EXPECT_EQ(cluster.version({kWords, 2, 6}), kInitialVersion + 1);
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  cluster.run([](Transaction& transaction, const Place&) {
    transaction.begin(Transaction::Kind::kReadOnly);
    const auto first = transaction.want(kWords, 0, 5);
    const auto second = transaction.want(kWords, 2, 6);
    ASSERT_TRUE(transaction.fetch());
    EXPECT_EQ(transaction.value<std::uint64_t>(first), 111U);
    EXPECT_EQ(transaction.value<std::uint64_t>(second), initial_word(2, 6) + 1);
    EXPECT_TRUE(transaction.commit());
  });
}

TEST_P(TransactionTest, ReadsInSeveralStepsAndItsOwnWrites) {
  TransactionCluster cluster(options());
  cluster.run_on(1, [](Transaction& transaction) {
    transaction.begin();
    const auto first = transaction.want(kWords, 2, 1);
    ASSERT_TRUE(transaction.fetch());
    transaction.update<std::uint64_t>(first) = 40;
    const auto second = transaction.want(kWords, 0, transaction.value<std::uint64_t>(first));
    const auto again = transaction.want(kWords, 2, 1);
    ASSERT_TRUE(transaction.fetch());
    EXPECT_EQ(again, first) << "the same record is the same handle";
    EXPECT_EQ(transaction.value<std::uint64_t>(again), 40U);
    EXPECT_EQ(transaction.value<std::uint64_t>(second), initial_word(0, 40));
    transaction.update<std::uint64_t>(again) += 1;
    EXPECT_TRUE(transaction.commit());
  });
  EXPECT_EQ(cluster.word({kWords, 2, 1}), 41U);
  EXPECT_EQ(cluster.version({kWords, 2, 1}), kInitialVersion + 1) << "written once";
}

TEST_P(TransactionTest, AKeyThatDoesNotExistIsNotFound) {
  TransactionCluster cluster(options());
  cluster.run([](Transaction& transaction, const Place&) {
    transaction.begin();
    for (PartitionId p = 0; p < 3; ++p) transaction.want(kWords, p, 100'000);
    const auto exists = transaction.want(kWords, 0, 99);
    ASSERT_TRUE(transaction.fetch());
    for (Transaction::Handle missing = 0; missing < 3; ++missing) {
      EXPECT_FALSE(transaction.found(missing));
    }
    EXPECT_TRUE(transaction.found(exists));
    EXPECT_TRUE(transaction.commit());
  });
}

TEST_P(TransactionTest, WithoutAnyRecordCommits) {
  TransactionCluster cluster(options());
  cluster.run([](Transaction& transaction, const Place&) {
    transaction.begin();
    EXPECT_TRUE(transaction.fetch());
    EXPECT_TRUE(transaction.commit());
  });
}

TEST_P(TransactionTest, ARollBackLeavesNoTrace) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [](Transaction& transaction) {
    transaction.begin();
    const auto record = transaction.want(kWords, 1, 3);
    ASSERT_TRUE(transaction.fetch());
    transaction.update<std::uint64_t>(record) = 0;
    EXPECT_TRUE(transaction.roll_back());
    EXPECT_EQ(transaction.cause(), Abort::kRolledBack);
  });
  EXPECT_EQ(cluster.word({kWords, 1, 3}), initial_word(1, 3));
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

TEST_P(TransactionTest, ARollBackDecidedOnAStateThatNeverWasIsAnAbort) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [&](Transaction& transaction) {
    transaction.begin();
    transaction.want(kWords, 1, 3);
    transaction.want(kWords, 2, 3);
    ASSERT_TRUE(transaction.fetch());
    set_word(cluster.live({kWords, 1, 3}), kStranger);
    EXPECT_FALSE(transaction.roll_back());
    EXPECT_EQ(transaction.cause(), Abort::kReadLocked);
    set_word(cluster.live({kWords, 1, 3}), kUnlocked);
  });
}

TEST_P(TransactionTest, DoesNotReadALockedRecord) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    set_word(cluster.live({kWords, partition, 3}), kStranger);
    cluster.run_on(0, [&](Transaction& transaction) {
      transaction.begin();
      transaction.want(kWords, partition, 3);
      EXPECT_FALSE(transaction.fetch());
      EXPECT_FALSE(transaction.commit());
      EXPECT_EQ(transaction.cause(), Abort::kReadLocked);
    });
    EXPECT_EQ(load_word(cluster.live({kWords, partition, 3})), kStranger);
  }
}

// Reads `read` and writes `written`; `disturb` comes between reading and committing.
std::optional<AbortCause> disturbed(TransactionCluster& cluster, const RecordName& read,
                                    const std::vector<RecordName>& written,
                                    const std::function<void()>& disturb) {
  std::optional<AbortCause> cause;
  cluster.run_on(0, [&](Transaction& transaction) {
    transaction.begin();
    transaction.want(read.table, read.partition, read.key);
    for (const RecordName& name : written) transaction.want(name.table, name.partition, name.key);
    ASSERT_TRUE(transaction.fetch());
    for (const RecordName& name : written) {
      const auto handle = transaction.want(name.table, name.partition, name.key);
      transaction.update<std::uint64_t>(handle) = 0;
    }
    disturb();
    EXPECT_FALSE(transaction.commit());
    cause = transaction.cause();
  });
  return cause;
}

TEST_P(TransactionTest, ALockedWriteSetIsALockConflictAndReleasesOnlyItsOwnLocks) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const std::vector<RecordName> written = {
        {kWords, 0, 1}, {kWords, partition, 3}, {kWords, 2, 1}};
    const auto cause = disturbed(cluster, {kWords, 1, 50}, written,
                                 [&] { set_word(cluster.live(written[1]), kStranger); });
    EXPECT_EQ(cause, Abort::kLockConflict);
    EXPECT_EQ(load_word(cluster.live(written[1])), kStranger);
    set_word(cluster.live(written[1]), kUnlocked);
    EXPECT_EQ(cluster.inconsistency(), std::nullopt) << "the other locks were released";
    for (const RecordName& name : written) {
      EXPECT_EQ(cluster.word(name), initial_word(name.partition, name.key));
    }
  }
}

TEST_P(TransactionTest, AChangedWriteSetFailsValidation) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName changed{kWords, partition, 3};
    const auto cause = disturbed(cluster, {kWords, 1, 50}, {changed},
                                 [&] { set_word(cluster.live(changed) + kVersionOffset, 9); });
    EXPECT_EQ(cause, Abort::kValidationFailed);
    EXPECT_EQ(load_word(cluster.live(changed)), kUnlocked);
    EXPECT_EQ(cluster.version(changed), 9U);
  }
}

TEST_P(TransactionTest, AChangedReadSetFailsValidation) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName read{kWords, partition, 3};
    const RecordName written{kWords, 2, 1};
    const auto cause = disturbed(cluster, read, {written},
                                 [&] { set_word(cluster.live(read) + kVersionOffset, 9); });
    EXPECT_EQ(cause, Abort::kValidationFailed);
    EXPECT_EQ(load_word(cluster.live(written)), kUnlocked);
    EXPECT_EQ(cluster.version(written), kInitialVersion);
  }
}

TEST_P(TransactionTest, ALockedReadSetFailsValidation) {
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    TransactionCluster cluster(options());
    const RecordName read{kWords, partition, 3};
    const auto cause = disturbed(cluster, read, {{kWords, 2, 1}},
                                 [&] { set_word(cluster.live(read), kStranger); });
    EXPECT_EQ(cause, Abort::kReadLocked);
  }
}

TEST_P(TransactionTest, AReadOnlyTransactionValidatesMoreThanOneRecord) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [&](Transaction& transaction) {
    for (const int records : {1, 2}) {
      transaction.begin(Transaction::Kind::kReadOnly);
      for (int i = 0; i < records; ++i) transaction.want(kWords, 1, static_cast<Key>(i));
      ASSERT_TRUE(transaction.fetch());
      set_word(cluster.live({kWords, 1, 0}) + kVersionOffset, 10U + static_cast<unsigned>(records));
      EXPECT_EQ(transaction.commit(), records == 1);
    }
  });
}

TEST_P(TransactionTest, FindsInsertedRecordsBehindFullBuckets) {
  ClusterOptions used = options();
  used.schema = {word_table("words", 1, 60, 200)};
  used.replicas = 1;
  TransactionCluster cluster(used);
  const TableLayout& table = cluster.node(0).layout().table(0);
  std::vector<Key> keys;
  for (Key key = 1000; keys.size() < 30; ++key) {
    if (table.bucket_of(key) == table.bucket_of(1000)) keys.push_back(key);
  }
  for (PartitionId partition = 0; partition < 3; ++partition) {
    for (const Key key : keys) {
      const std::uint64_t word = initial_word(partition, key);
      Store& store = cluster.holder(partition).store();
      std::byte* live = store.record(0, 0, store.reserve(0, key, kUnlocked, nullptr).entry);
      table.format.write_live(live, kInitialVersion, key,
                              std::as_bytes(std::span(&word, 1)).data());
    }
  }
  cluster.run([&](Transaction& transaction, const Place& place) {
    for (const Key key : keys) {
      const auto partition = static_cast<PartitionId>((place.node + 1) % 3);
      transaction.begin();
      const auto record = transaction.want(kWords, partition, key);
      ASSERT_TRUE(transaction.fetch());
      ASSERT_TRUE(transaction.found(record)) << key;
      EXPECT_EQ(transaction.value<std::uint64_t>(record), initial_word(partition, key));
      EXPECT_TRUE(transaction.commit());
    }
  });
}

TEST_P(TransactionTest, AWrongLocationInTheCacheIsNoticed) {
  TransactionCluster cluster(options());
  cluster.node(0).cache().insert({kWords, 1, 5}, 6);
  cluster.node(0).cache().insert({kWords, 1, 7}, 4'000'000'000);
  cluster.run_on(0, [](Transaction& transaction) {
    transaction.begin(Transaction::Kind::kReadOnly);
    const auto stale = transaction.want(kWords, 1, 5);
    const auto outside = transaction.want(kWords, 1, 7);
    ASSERT_TRUE(transaction.fetch());
    EXPECT_EQ(transaction.value<std::uint64_t>(stale), initial_word(1, 5));
    EXPECT_EQ(transaction.value<std::uint64_t>(outside), initial_word(1, 7));
    EXPECT_TRUE(transaction.commit());
  });
}

TEST(LocationCacheOfNode, IsUsedUnlessItHasNoBytes) {
  for (const std::uint64_t bytes : {0U, 1U << 20}) {
    ClusterOptions used;
    used.plan = plan_preset("drtmh");
    used.location_cache_bytes = bytes;
    TransactionCluster cluster(used);
    cluster.run_on(0, [](Transaction& transaction) {
      for (int attempt = 0; attempt < 2; ++attempt) {
        transaction.begin(Transaction::Kind::kReadOnly);
        const auto record = transaction.want(kWords, 1, 5);
        ASSERT_TRUE(transaction.fetch());
        EXPECT_EQ(transaction.value<std::uint64_t>(record), initial_word(1, 5));
        EXPECT_TRUE(transaction.commit());
      }
    });
    EXPECT_EQ(cluster.counter(Counter::kCacheHits), bytes == 0 ? 0U : 1U);
    EXPECT_EQ(cluster.counter(Counter::kCacheMisses), bytes == 0 ? 0U : 1U);
  }
}

TEST_P(TransactionTest, UpdatesRecordsOfSeveralLines) {
  ClusterOptions used = options();
  used.schema = {word_table("long", 30, 20), word_table("longer", 130, 20)};
  used.log_ring_bytes = 64 << 10;
  TransactionCluster cluster(used);
  cluster.run_on(0, [](Transaction& transaction) {
    for (std::uint64_t round = 1; round <= 3; ++round) {
      transaction.begin();
      for (TableId table = 0; table < 2; ++table) {
        for (PartitionId p = 0; p < 3; ++p) transaction.want(table, p, 3);
      }
      ASSERT_TRUE(transaction.fetch());
      for (Transaction::Handle handle = 0; handle < 6; ++handle) {
        const std::uint64_t last =
            round == 1 ? initial_word(PartitionId(handle % 3), 3) : round - 1;
        const auto payload = transaction.update_payload(handle);
        for (std::size_t at = 0; at < payload.size(); at += 8) {
          ASSERT_EQ(load_word(payload.data() + at), last);
          store_word(payload.data() + at, round);
        }
      }
      while (!transaction.commit()) FAIL() << static_cast<int>(*transaction.cause());
      transaction.wait(20 * kMicrosecond);  // its own unlocking is not waited for
    }
  });
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

TEST_P(TransactionTest, CountsWhatItDoes) {
  TransactionCluster cluster(options());
  cluster.run_on(0, [](Transaction& transaction) {
    transaction.begin();
    const auto remote = transaction.want(kWords, 1, 1);
    transaction.want(kWords, 0, 1);
    ASSERT_TRUE(transaction.fetch());
    transaction.update<std::uint64_t>(remote) = 1;
    EXPECT_TRUE(transaction.commit());
  });
  EXPECT_EQ(cluster.counter(Counter::kLocalReads), 1U);
  EXPECT_EQ(cluster.counter(Counter::kOneSidedReads) + cluster.counter(Counter::kRpcReads), 1U);
  EXPECT_EQ(cluster.counter(Counter::kLogRecords), 1U);
  EXPECT_EQ(cluster.applied_updates(), 1U);
  const Metrics& metrics = cluster.participant(0).metrics(0);
  EXPECT_EQ(metrics.committed, 1U);
  for (const Histogram& phase : metrics.phases) EXPECT_EQ(phase.count(), 1U);
}

// Many records of its own node, which nothing interrupts but that it gives way between them.
TEST(Transaction, ServesPeersWhileItReadsItsOwnRecords) {
  if (testing::on_hardware()) GTEST_SKIP() << "how long reads take is the machine's own there";
  constexpr Key kRecords = 90;
  ClusterOptions options;
  options.plan = plan_preset("two-sided");
  options.max_records = kRecords;
  TransactionCluster cluster(options);
  bool reading = false;
  bool served_meanwhile = false;
  cluster.run([&](Transaction& transaction, const Place& place) {
    if (place.node > 1) return;
    transaction.begin();
    const Key wanted = place.node == 0 ? kRecords : 1;
    for (Key key = 0; key < wanted; ++key) transaction.want(0, 0, key);
    reading |= place.node == 0;
    EXPECT_TRUE(transaction.fetch());
    if (place.node == 0) reading = false;
    if (place.node == 1) served_meanwhile = reading;
    EXPECT_TRUE(transaction.commit());
  });
  EXPECT_TRUE(served_meanwhile);
}

TEST(TransactionNode, RefusesARingTooSmallForOneTransaction) {
  ClusterOptions options;
  options.log_ring_bytes = 256;
  EXPECT_THROW(TransactionCluster{options}, ConfigurationError);
  options.log_ring_bytes = 4100;
  EXPECT_THROW(TransactionCluster{options}, ConfigurationError);
}

TEST(TransactionNode, RefusesPeersWhoseMemoryIsLaidOutDifferently) {
  NodeOptions transactions;
  transactions.warm_location_cache = false;
  transactions.plan = resolve(plan_preset("drtmh"), {});
  transactions.replicas = 1;
  for (const bool other_tables : {true, false}) {
    std::vector<std::unique_ptr<TransactionNode>> nodes;
    testing::Cluster cluster(
        {.nodes = 2}, testing::options_for({.nodes = 2}), [&](rdma::Endpoint& added) {
          const bool differs = added.node() == 1;
          const Schema schema = {word_table("words", 1, differs && other_tables ? 200 : 100)};
          transactions.log_ring_bytes = differs && !other_tables ? 32 << 10 : 16 << 10;
          nodes.push_back(std::make_unique<TransactionNode>(added, schema, transactions));
        });
    for (const auto& node : nodes) EXPECT_THROW(node->start(), ConfigurationError);
    nodes.clear();
  }
}

TEST(TransactionNode, RefusesRecordsThatDoNotFitAMessage) {
  ClusterOptions options;
  options.schema = {word_table("huge", 4000, 4)};
  options.log_ring_bytes = 1 << 20;
  options.plan = plan_preset("two-sided");
  EXPECT_THROW(TransactionCluster{options}, ConfigurationError);
}

}  // namespace
}  // namespace verbena::txn::occ
