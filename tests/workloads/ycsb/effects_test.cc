// What YCSB's transactions change, and how a wrong record is found after a run.
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>

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
  // What `client` commits, by kind.
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
    for (NodeId node = 0; node < kNodes; ++node) {
      cluster_.node(node).state().visit_changed(
          Ycsb::kRecords, node, [&](txn::Key, bool present, std::span<const std::byte> payload) {
            if (present) sum += ycsb_.amount(Ycsb::kRecords, payload);
          });
    }
    return sum;
  }

  std::size_t inconsistencies() {
    std::size_t count = 0;
    for (NodeId node = 0; node < kNodes; ++node) {
      count += ycsb_.inconsistencies(node, cluster_.node(node).state()).size();
    }
    return count;
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

  Ycsb ycsb_{{.nodes = kNodes, .workers = 1}, options_of(GetParam())};
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
  // Rank 1 is a record that something has surely read.
  const Place place =
      ycsb_.choice().space.place(GetParam() == "D" ? ycsb_.choice().space.records() - 1
                                                   : fnv_hash(0) % ycsb_.choice().space.records());
  std::byte* const record =
      cluster_.live({.table = Ycsb::kRecords, .partition = place.partition, .key = place.key});
  record[txn::kRecordHeaderBytes + ycsb_.format().bytes() - 1] ^= std::byte{1};
  EXPECT_EQ(inconsistencies(), 1U);
}

}  // namespace
}  // namespace verbena::workloads::ycsb
