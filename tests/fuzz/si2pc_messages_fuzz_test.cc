// Requests of two-phase commit.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/fuzz/messages.h"
#include "tests/txn/si2pc/partition_cluster.h"
#include "txn/si2pc/messages.h"

namespace verbena::txn::si2pc {
namespace {

using testing::message_of;

constexpr std::uint64_t kOwner = 77;
constexpr std::uint64_t kSnapshot = 1;
using Payload = std::array<std::byte, 200>;

std::vector<testing::AskedMethod> methods() {
  const WantedRecord wanted{.key = 3, .table = 0, .to_write = false, .reserved = {}};
  WantedRecord written = wanted;
  written.to_write = true;
  written.table = 1;
  written.key = 8;
  const ScanRequest scan{.first = 0,
                         .last = 32,
                         .snapshot = kSnapshot,
                         .limit = 8,
                         .table = 1,
                         .descending = false,
                         .reserved = {}};
  const PreparedRecord prepared{.key = 2, .table = 0, .present = true, .reserved = {}};
  const PreparedRecord inserted{.key = 5, .table = 1, .present = false, .reserved = {}};
  const InstalledRecord installed{
      .key = 2, .entry = 2, .table = 0, .erased = false, .reserved = {}};
  return {
      {"read", Method::kRead, {message_of(ReadRequest{.snapshot = kSnapshot}, wanted, written)}},
      {"scan", Method::kScan, {message_of(scan)}},
      {"prepare",
       Method::kPrepare,
       {message_of(PrepareRequest{.owner = kOwner, .snapshot = kSnapshot}, prepared, inserted)}},
      {"commit",
       Method::kCommit,
       {message_of(CommitRequest{.owner = kOwner, .timestamp = 2}, installed, Payload{})}},
      {"release",
       Method::kRelease,
       {message_of(ReleasedRecord{.owner = kOwner, .entry = 5, .table = 1, .reserved = {}})}},
  };
}

TEST(Si2pcMessagesFuzz, RequestsThatNoPeerSendsAreRefused) {
  testing::PartitionCluster cluster({});
  cluster.run({[&](Transaction&, rdma::Worker& worker) {
    EXPECT_TRUE(testing::handlers_survive(worker, methods()));
  }});
}

}  // namespace
}  // namespace verbena::txn::si2pc
