// Log records that rings hold when a run begins as a long one would have left them.
#include "txn/occ/log/past_logs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "txn/store/record.h"

namespace verbena::txn::occ {
namespace {

constexpr std::uint32_t kNodes = 7;
constexpr std::uint32_t kWorkers = 2;
constexpr std::uint64_t kRing = 16384;
constexpr std::uint64_t kReclaimed = 2048;

constexpr TableId kAccounts = 0;
constexpr TableId kOrders = 1;  // of which none is loaded

std::uint64_t word_of(PartitionId partition, Key key) {
  return std::uint64_t{partition} << 32 | key;
}

Schema schema() {
  return {{.name = "accounts",
           .payload_bytes = 12,
           .initial_records = 50,
           .load =
               [](PartitionId partition, Key key, std::span<std::byte> payload) {
                 const std::uint64_t word = word_of(partition, key);
                 std::memcpy(payload.data(), &word, sizeof word);
               }},
          {.name = "orders", .payload_bytes = 40, .initial_records = 0, .insert_capacity = 10}};
}

RecordName name(TableId table, std::uint16_t partition, Key key) {
  return {.table = table, .partition = PartitionId(partition), .key = key};
}

// Transactions of node 2: on two partitions, on its own, and with an insert.
PastWrites past(std::uint64_t seed = 1) {
  return {.seed = seed,
          .transactions = {{name(kAccounts, 2, 3), name(kAccounts, 5, 4)},
                           {name(kAccounts, 2, 7)},
                           {name(kAccounts, 3, 9), name(kOrders, 3, 1000)}},
          .home = PartitionId(std::uint16_t{2})};
}

class PastLogsTest : public ::testing::Test {
 protected:
  PastLogs make(const PastWrites& writes, PastLogs::Rules rules = {}) const {
    rules.reclaimed_bytes = kReclaimed;
    return PastLogs(schema_, layout_, rings_, writes, rules);
  }
  // Calls use(source, worker, backup) for every ring.
  template <typename Use>
  static void for_each_ring(Use&& use) {
    for (std::uint32_t source = 0; source < kNodes; ++source) {
      for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
        for (std::uint32_t backup = 0; backup < kNodes; ++backup) {
          use(static_cast<NodeId>(source), static_cast<WorkerId>(worker),
              static_cast<NodeId>(backup));
        }
      }
    }
  }
  std::uint32_t payload_bytes(TableId table) const { return schema_[table].payload_bytes; }

  const Schema schema_ = schema();
  const StoreLayout layout_{schema_, {.nodes = kNodes, .replicas = 3}};
  const LogLayout rings_{.nodes = kNodes, .workers = kWorkers, .ring_bytes = kRing};
};

TEST_F(PastLogsTest, EveryUpdateIsWhatTheBackupHasAnyway) {
  const PastLogs logs = make(past());
  for_each_ring([&](NodeId source, WorkerId worker, NodeId backup) {
    logs.visit(source, worker, backup, [&](const LogRecordReader& record) {
      EXPECT_GE(record.header().updates, 1);
      record.for_each([&](TableId table) { return payload_bytes(table); },
                      [&](const LogUpdate& update, const std::byte* payload) {
                        EXPECT_TRUE(layout_.placement().backs_up(backup, update.partition));
                        EXPECT_EQ(update.table, kAccounts);
                        EXPECT_LT(update.key, 50U);
                        EXPECT_EQ(update.entry, update.key);
                        EXPECT_EQ(update.version, kInitialVersion);
                        std::uint64_t word;
                        std::memcpy(&word, payload, sizeof word);
                        EXPECT_EQ(word, word_of(update.partition, update.key));
                      });
    });
  });
}

TEST_F(PastLogsTest, CoordinatorAndBackupCountTheSameBytes) {
  const PastLogs logs = make(past());
  const PastLogs others = make(past());
  for_each_ring([&](NodeId source, WorkerId worker, NodeId backup) {
    const std::uint64_t bytes = logs.bytes(source, worker, backup);
    EXPECT_LT(bytes, kReclaimed);
    EXPECT_EQ(others.visit(source, worker, backup, [](const LogRecordReader&) {}), bytes);
  });
}

// Calls come at any time, so rings are half full on average, but for half a record.
TEST_F(PastLogsTest, RingsAreHalfFullOnAverage) {
  double sum = 0;
  double rings = 0;
  std::set<std::uint64_t> different;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PastLogs logs = make(past(seed));
    for_each_ring([&](NodeId source, WorkerId worker, NodeId backup) {
      sum += static_cast<double>(logs.bytes(source, worker, backup));
      different.insert(logs.bytes(source, worker, backup));
      rings += 1;
    });
  }
  EXPECT_NEAR(sum / rings, kReclaimed / 2.0, kReclaimed / 20.0);
  EXPECT_GT(different.size(), 20U);
}

// A cluster of more nodes than its tables have copies: most updates are of other partitions.
TEST_F(PastLogsTest, WholeLogsTellOfAllThatWasWritten) {
  const PastLogs logs = make(past(), {.whole_log = true});
  std::set<int> updates;
  for_each_ring([&](NodeId source, WorkerId worker, NodeId backup) {
    logs.visit(source, worker, backup, [&](const LogRecordReader& record) {
      updates.insert(record.header().updates);
      int backed_up = 0;
      record.for_each([&](TableId table) { return payload_bytes(table); },
                      [&](const LogUpdate& update, const std::byte*) {
                        backed_up += layout_.placement().backs_up(backup, update.partition) ? 1 : 0;
                      });
      EXPECT_GE(backed_up, 1);
    });
  });
  EXPECT_EQ(updates, (std::set<int>{1, 2}));
}

TEST_F(PastLogsTest, OwnBackupsHaveRecordsWithoutUpdates) {
  const PastLogs logs = make(past(), {.log_own_backups = true});
  bool seen = false;
  for_each_ring([&](NodeId source, WorkerId worker, NodeId backup) {
    logs.visit(source, worker, backup,
               [&](const LogRecordReader& record) { seen |= record.header().updates == 0; });
  });
  EXPECT_TRUE(seen);
}

TEST_F(PastLogsTest, WithoutWritesThereAreNone) {
  const PastLogs logs = make({});
  for_each_ring([&](NodeId source, WorkerId worker, NodeId backup) {
    EXPECT_EQ(logs.bytes(source, worker, backup), 0U);
  });
}

}  // namespace
}  // namespace verbena::txn::occ
