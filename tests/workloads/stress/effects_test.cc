// Changes that the stress workload's transactions make, and faults that its own check finds.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "tests/txn/occ/transaction_cluster.h"
#include "txn/store/record.h"
#include "workloads/stress/client.h"
#include "workloads/stress/stress.h"

namespace verbena::workloads::stress {
namespace {

constexpr std::uint32_t kNodes = 2;
constexpr auto kFirst = static_cast<txn::PartitionId>(0);

class StressEffects : public ::testing::Test {
 protected:
  // Executes until committed or rolled back.
  Attempt execute(Client& client) {
    Attempt attempt = Attempt::kAborted;
    cluster_.run_on(0, [&](txn::Transaction& transaction) {
      Random random(1);
      txn::occ::TransactionCluster::until_committed(transaction, random, [&] {
        attempt = client.execute(transaction);
        return attempt != Attempt::kAborted;
      });
    });
    return attempt;
  }

  // One round.
  Attempt execute(const std::vector<Use>& uses, bool rolls_back = false) {
    client_.input() = {.kind = Kind::kWrite, .rounds = {{.uses = uses}}, .rolls_back = rolls_back};
    return execute(client_);
  }

  // Present keys of the first partition whose records may have changed.
  std::set<txn::Key> changed_keys(txn::TableId table) {
    std::set<txn::Key> keys;
    cluster_.state(kFirst).visit_changed(
        table, kFirst, [&](txn::Key key, bool present, std::span<const std::byte>) {
          if (present) keys.insert(key);
        });
    return keys;
  }

  Stamp stamp(const txn::RecordName& name) {
    const txn::RecordFormat format(stress_.schema()[name.table].payload_bytes);
    std::vector<std::byte> payload(stress_.schema()[name.table].payload_bytes);
    format.extract(cluster_.live(name), payload.data());
    EXPECT_EQ(content_fault(name, payload), "");
    Stamp stamp = 0;
    std::memcpy(&stamp, payload.data(), sizeof stamp);
    return stamp;
  }

  std::vector<std::string> inconsistencies() {
    return stress_.inconsistencies(kFirst, cluster_.state(kFirst));
  }

  static txn::occ::ClusterOptions cluster_options(const Workload& workload) {
    txn::occ::ClusterOptions options;
    options.fabric.nodes = kNodes;
    options.schema = workload.schema();
    options.max_records = workload.limits().records;
    options.max_scanned = workload.limits().scanned;
    return options;
  }

  static txn::RecordName record(txn::Key key, txn::TableId table = kLong) {
    return {.table = table, .partition = kFirst, .key = key};
  }

  Stress stress_{{.partitions = kNodes, .workers = 1}, {}};
  txn::occ::TransactionCluster cluster_{cluster_options(stress_)};
  Client client_{stress_, {}, Random(1)};
};

TEST_F(StressEffects, EvenKeysExistAtFirst) {
  EXPECT_EQ(stamp(record(0)), initial_stamp(record(0)));
  EXPECT_EQ(execute({{record(2), Action::kErase}, {record(3), Action::kErase}}),
            Attempt::kCommitted);
  EXPECT_EQ(client_.committed_change(), -1) << "there was no record 3";
}

TEST_F(StressEffects, UpdatesInsertsAndErases) {
  execute({{record(0), Action::kUpdate},
           {record(2), Action::kUpdateUnannounced},
           {record(3), Action::kInsert},
           {record(4), Action::kErase},
           {record(5), Action::kUpdate}});
  EXPECT_LT(stamp(record(0)), initial_stamp(record(0)));
  EXPECT_LT(stamp(record(2)), initial_stamp(record(2)));
  EXPECT_NE(stamp(record(0)), stamp(record(2)));
  EXPECT_EQ(client_.committed_change(), 0) << "one came, one went";
  const std::set<txn::Key> present = changed_keys(kLong);
  EXPECT_TRUE(present.contains(3));
  EXPECT_FALSE(present.contains(4));
  EXPECT_FALSE(present.contains(5)) << "what is absent is not updated";
  EXPECT_EQ(inconsistencies(), std::vector<std::string>{});
}

TEST_F(StressEffects, WhatIsAnnouncedAndLeftStaysAsItIs) {
  execute({{record(0), Action::kLeaveUpdate},
           {record(1), Action::kLeaveInsert},
           {record(2, kShort), Action::kLeaveInsert}});
  EXPECT_EQ(stamp(record(0)), initial_stamp(record(0)));
  EXPECT_EQ(stamp(record(2, kShort)), initial_stamp(record(2, kShort)));
  EXPECT_FALSE(changed_keys(kLong).contains(1));
}

TEST_F(StressEffects, ARecordMayBeUsedSeveralTimes) {
  execute({{record(1), Action::kInsert},
           {record(1), Action::kUpdate},
           {record(0), Action::kUpdate},
           {record(0), Action::kErase},
           {record(0), Action::kInsert}});
  EXPECT_TRUE(changed_keys(kLong).contains(1));
  EXPECT_FALSE(changed_keys(kLong).contains(0)) << "what it erased it does not bring back";
  EXPECT_EQ(client_.committed_change(), 0);
}

TEST_F(StressEffects, ARollBackChangesNothing) {
  EXPECT_EQ(execute({{record(0), Action::kUpdate}, {record(1), Action::kInsert}}, true),
            Attempt::kRolledBack);
  EXPECT_EQ(stamp(record(0)), initial_stamp(record(0)));
  EXPECT_FALSE(changed_keys(kLong).contains(1));
  EXPECT_EQ(client_.committed_change(), 0);
}

TEST_F(StressEffects, ScannedRecordsAreUsedInTurn) {
  client_.input() = {
      .kind = Kind::kScanAndWrite,
      .scans = true,
      .range = {.table = kLong, .partition = kFirst, .first = 3, .last = 9, .descending = true},
      .scan_limit = 2,
      .scanned = {Action::kErase, Action::kUpdate}};
  execute(client_);
  EXPECT_FALSE(changed_keys(kLong).contains(8)) << "the first one";
  EXPECT_LT(stamp(record(6)), initial_stamp(record(6)));
  EXPECT_EQ(stamp(record(4)), initial_stamp(record(4))) << "beyond the limit";
}

TEST_F(StressEffects, RandomTransactionsOfEveryKindLeaveEverythingInOrder) {
  std::map<std::string, int> kinds;
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t kind = client_.next();
    execute(client_);
    ++kinds[stress_.kinds()[kind]];
  }
  EXPECT_EQ(kinds.size(), 4U);
  EXPECT_EQ(inconsistencies(), std::vector<std::string>{});
  EXPECT_EQ(cluster_.inconsistency(), std::nullopt);
}

TEST_F(StressEffects, AWrongRecordIsFoundByWhoReadsIt) {
  cluster_.live(record(0))[txn::kRecordHeaderBytes] ^= std::byte{1};
  execute({{record(0), Action::kRead}});
  const std::vector<std::string> read = inconsistencies();
  ASSERT_FALSE(read.empty());
  EXPECT_EQ(read[0].substr(0, 55), "record 0 of long, partition 0, was read wrongly: word 1");
  for (const std::string& fault : inconsistencies()) {
    EXPECT_EQ(fault.find("read wrongly"), std::string::npos) << "told once";
  }
}

TEST_F(StressEffects, AWrongRecordIsFoundAtRest) {
  execute({{record(0), Action::kUpdate}});
  cluster_.live(record(0))[txn::kRecordHeaderBytes] ^= std::byte{1};
  const std::vector<std::string> found = inconsistencies();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].substr(0, 49), "record 0 of long, partition 0, is wrong: word 1 d");
}

TEST(Stress, RefusesOptionsThatDoNotGoTogether) {
  const ClusterSize size{.partitions = 3, .workers = 1};
  StressOptions many_hot;
  many_hot.hot_keys = many_hot.keys_per_node + 1;
  EXPECT_THROW(Stress(size, many_hot), ConfigurationError);
  StressOptions too_much;
  too_much.update_percent = 80;
  EXPECT_THROW(Stress(size, too_much), ConfigurationError);
}

}  // namespace
}  // namespace verbena::workloads::stress
