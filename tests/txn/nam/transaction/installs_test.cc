// Records that have had as many versions as can be told apart.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "rdma/one_sided/request_batch.h"
#include "tests/txn/nam/nam_cluster.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::testing {
namespace {

using txn::Transaction;

bool increment(Transaction& transaction) {
  transaction.begin();
  const auto handle =
      transaction.want(0, static_cast<txn::PartitionId>(0), 0, Transaction::Intent::kUpdate);
  if (!transaction.fetch()) {
    transaction.abandon();
    return false;
  }
  ++word_of(transaction, handle);
  return transaction.commit();
}

// As if record 0 had had so many.
void set_installs(const NamCluster& cluster, rdma::Worker& worker, std::uint32_t installs) {
  RemoteAddress at = cluster.first_word();
  at.offset = at.offset - txn::nam::kPayloadOffset + txn::nam::kInstallsOffset;
  const auto scratch = worker.allocate_scratch(sizeof installs);
  std::memcpy(scratch.data(), &installs, sizeof installs);
  rdma::RequestBatch batch(worker.connections());
  batch.write(at, scratch.data(), sizeof installs);
  batch.post();
  batch.wait();
}

// The next number would be that of a place without a version.
TEST(Installs, DoNotBeginAgainAfterTheLast) {
  NamCluster cluster({});
  std::string refused;
  cluster.run({[&](Transaction& transaction, rdma::Worker& worker) {
    set_installs(cluster, worker, txn::nam::kMostInstalls - 1);
    EXPECT_TRUE(increment(transaction));
    try {
      increment(transaction);
    } catch (const std::runtime_error& error) {
      refused = error.what();
    }
  }});
  EXPECT_EQ(refused,
            "key 0 of table 0 in partition 0: its record has had 4294967295 versions; no record "
            "can have more");
  EXPECT_EQ(cluster.word(0), 1U);
}

}  // namespace
}  // namespace verbena::testing
