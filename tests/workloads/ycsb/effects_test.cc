// Changes that YCSB's transactions make, and how a wrong record is found after a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/txn/occ/transaction_cluster.h"
#include "txn/store/record.h"
#include "workloads/ycsb/client.h"
#include "workloads/ycsb/ycsb.h"

namespace verbena::workloads::ycsb {
namespace {

constexpr std::uint32_t kNodes = 2;

YcsbOptions options_of(const std::string& core) {
  return {.core = core,
          .records_per_worker = 20,
          .new_records_per_worker = 500,
          .field_count = 1,
          .field_bytes = 16,
          .key_bytes = 8,
          .max_scan_length = 10,
          .keys_per_transaction = 4};
}

class YcsbEffects : public ::testing::TestWithParam<std::string> {
 protected:
  // Runs transactions of `client`, and counts those that commit, by kind.
  std::map<std::string, int> run(WorkloadClient& client, int transactions) {
    std::map<std::string, int> committed;
    cluster_.run_on(0, [&](txn::Transaction& transaction) {
      Random random(1);
      for (int i = 0; i < transactions; ++i) {
        const std::uint32_t kind = client.next();
        txn::occ::TransactionCluster::until_committed(
            transaction, random, [&] { return client.execute(transaction) != Attempt::kAborted; });
        ++committed[ycsb_.kinds()[kind]];
      }
    });
    return committed;
  }

  std::int64_t changes() {
    std::int64_t sum = 0;
    for (txn::PartitionId node = 0; node < kNodes; ++node) {
      cluster_.state(node).visit_changed(
          Ycsb::kRecords, node, [&](txn::Key, bool present, std::span<const std::byte> payload) {
            if (present) sum += ycsb_.amount(Ycsb::kRecords, payload);
          });
    }
    return sum;
  }

  std::size_t inconsistencies() {
    std::size_t count = 0;
    for (txn::PartitionId node = 0; node < kNodes; ++node) {
      count += ycsb_.inconsistencies(node, cluster_.state(node)).size();
    }
    return count;
  }

  // One that something surely reads.
  Place popular_record() const {
    const KeyChoice& choice = ycsb_.choice();
    return choice.space.place(GetParam() == "D" ? choice.space.records() - 1 : choice.numbers(0));
  }

  static txn::occ::ClusterOptions cluster_options(const Workload& workload) {
    txn::occ::ClusterOptions options;
    options.fabric.nodes = kNodes;
    options.schema = workload.schema();
    options.plan = txn::plan_preset("drtmh");
    options.max_records = workload.limits().records;
    options.max_scanned = workload.limits().scanned;
    return options;
  }

  Ycsb ycsb_{{.partitions = kNodes, .workers = 1}, options_of(GetParam())};
  txn::occ::TransactionCluster cluster_{cluster_options(ycsb_)};
};

INSTANTIATE_TEST_SUITE_P(Cores, YcsbEffects, ::testing::Values("A", "B", "C", "D", "E", "F"));

TEST_P(YcsbEffects, RecordsCountWhatWasCommitted) {
  const auto client = ycsb_.make_client({}, Random(1));
  const auto committed = run(*client, 200);
  EXPECT_EQ(client->committed_change(), changes());
  EXPECT_EQ(client->committed_change() > 0, GetParam() != "C");
  EXPECT_EQ(committed.contains("mixed"), GetParam() != "C" && GetParam() != "E");
  EXPECT_EQ(committed.contains("scan"), GetParam() == "E");
  EXPECT_EQ(inconsistencies(), 0U);
}

TEST_P(YcsbEffects, AWrongRecordIsFound) {
  const auto client = ycsb_.make_client({}, Random(1));
  run(*client, 200);
  const Place place = popular_record();
  std::byte* const record =
      cluster_.live({.table = Ycsb::kRecords, .partition = place.partition, .key = place.key});
  record[txn::kRecordHeaderBytes + ycsb_.format().bytes() - 1] ^= std::byte{1};
  EXPECT_EQ(inconsistencies(), 1U);
}

// Reads and updates of several records, some of them the same, in a transaction.
TEST(YcsbReplacing, RecordsAreReplacedWholeAndByNumbersOfTheirOwn) {
  YcsbOptions options = options_of("A");
  options.update = "replace";
  const Ycsb ycsb({.partitions = kNodes, .workers = 1}, options);
  txn::occ::ClusterOptions cluster_options;
  cluster_options.fabric.nodes = kNodes;
  cluster_options.schema = ycsb.schema();
  cluster_options.plan = txn::plan_preset("drtmh");
  cluster_options.max_records = ycsb.limits().records;
  txn::occ::TransactionCluster cluster(cluster_options);
  const auto client = ycsb.make_client({}, Random(1));
  cluster.run_on(0, [&](txn::Transaction& transaction) {
    Random random(1);
    for (int i = 0; i < 200; ++i) {
      client->next();
      txn::occ::TransactionCluster::until_committed(
          transaction, random, [&] { return client->execute(transaction) != Attempt::kAborted; });
    }
  });
  std::set<std::uint64_t> numbers;
  std::size_t records = 0;
  for (txn::PartitionId node = 0; node < kNodes; ++node) {
    txn::StateAtRest& state = cluster.state(node);
    EXPECT_TRUE(ycsb.inconsistencies(node, state).empty());
    state.visit_changed(Ycsb::kRecords, node,
                        [&](txn::Key, bool, std::span<const std::byte> payload) {
                          const std::uint64_t number = RecordFormat::changes(payload);
                          if (number == 0) return;
                          numbers.insert(number);
                          ++records;
                        });
  }
  EXPECT_GT(records, 20U);
  // Records of one transaction have the number of its attempt.
  EXPECT_GT(4 * numbers.size(), records);
  EXPECT_EQ(client->committed_change(), 0);
}

// Core workloads whose transactions leave initial records as they are.
using YcsbReads = YcsbEffects;
INSTANTIATE_TEST_SUITE_P(Cores, YcsbReads, ::testing::Values("C", "D", "E"));

// Half of an update, in lines that pretend to be of one version; afterwards the record is whole.
TEST_P(YcsbReads, ATornReadIsFoundThoughNothingIsWrongAtRest) {
  const Place place = popular_record();
  std::byte* const live =
      cluster_.live({.table = Ycsb::kRecords, .partition = place.partition, .key = place.key});
  const txn::RecordFormat lines(ycsb_.format().bytes());
  std::vector<std::byte> image(live, live + lines.bytes());
  const std::vector<std::byte> whole = image;
  std::vector<std::byte> payload(ycsb_.format().bytes());
  lines.extract(image.data(), payload.data());
  ycsb_.format().change(place.partition, place.key, 0, payload);
  std::fill_n(payload.begin(), 8, std::byte{0});  // the record's counter is the older one
  lines.compose(image.data(), txn::load_word(live + txn::kVersionOffset), place.key,
                payload.data());
  std::copy(image.begin(), image.end(), live);
  run(*ycsb_.make_client({}, Random(1)), 200);
  std::copy(whole.begin(), whole.end(), live);
  const std::vector<std::string> found = ycsb_.inconsistencies(0, cluster_.state(0));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], "record " + std::to_string(place.key) + " of partition " +
                          std::to_string(place.partition) +
                          " was read wrongly: it counts 0 changes, its fields 1");
  EXPECT_LE(found.size(), 10U);
  EXPECT_EQ(inconsistencies(), 0U) << "told once";
}

using YcsbScans = YcsbEffects;
INSTANTIATE_TEST_SUITE_P(Cores, YcsbScans, ::testing::Values("E"));

TEST_P(YcsbScans, MeetWhatWasInserted) {
  Client client(ycsb_, KeyChooser(ycsb_.choice(), {}), Random(1));
  int inserted = 0;
  int initial = 0;
  for (int i = 0; i < 400; ++i) {
    if (!run(client, 1).contains("scan")) continue;
    EXPECT_TRUE(std::ranges::is_sorted(client.scanned()));
    for (const txn::Key key : client.scanned()) {
      ++(KeyChooser::is_inserted(key) ? inserted : initial);
    }
  }
  EXPECT_GT(inserted, 100);
  EXPECT_GT(initial, 100);
  EXPECT_EQ(inconsistencies(), 0U);
}

}  // namespace
}  // namespace verbena::workloads::ycsb
