// Requests to the CPUs of NAM-DB's memory servers.
#include <gtest/gtest.h>

#include <vector>

#include "tests/fuzz/messages.h"
#include "tests/txn/nam/nam_cluster.h"
#include "txn/nam/messages.h"
#include "txn/nam/version.h"

namespace verbena::txn::nam {
namespace {

using testing::message_of;

constexpr std::uint64_t kOwner = lock_word(1, 7);
constexpr TableId kKeys = 1;

std::vector<testing::AskedMethod> methods() {
  const KeyToClaim claimed{
      .key = 3, .entry = kAnyEntry, .partition = 0, .table = kKeys, .reserved = {}};
  KeyToClaim other = claimed;
  other.key = 5;
  const ScanRequest scan{.first = 0,
                         .last = 40,
                         .limit = 8,
                         .room = 8,
                         .partition = 0,
                         .table = kKeys,
                         .descending = false,
                         .reserved = {},
                         .holds = 3};
  const AllocateRequest allocate{
      .owner = kOwner, .wanted = 3, .partition = 0, .table = kKeys, .reserved = {}};
  const RecordToMove move{.entry = 1, .partition = 0, .table = 0, .urgent = 1, .reserved = {}};
  const ErasedRecord erased{.key = 8, .partition = 0, .table = kKeys, .reserved = {}};
  const TablePart part{.partition = 0, .table = kKeys};
  return {
      {"claim", Method::kClaim, {message_of(ClaimRequest{.owner = kOwner}, claimed, other)}},
      {"scan", Method::kScan, {message_of(scan)}},
      {"allocate", Method::kAllocate, {message_of(allocate)}},
      {"free",
       Method::kFree,
       {message_of(FreeRequest{.partition = 0, .table = kKeys, .reserved = {}})}},
      {"set back", Method::kSetBack, {message_of(erased, erased)}},
      {"move", Method::kMove, {message_of(move, move)}},
      {"describe", Method::kDescribe, {message_of(part, part)}},
      {"alter", Method::kAlter, {message_of(AlterRequest{.part = part, .generation = 1})}},
  };
}

TEST(NamMessagesFuzz, RequestsThatNoPeerSendsAreRefused) {
  testing::NamCluster cluster({.locality = true, .overflow_kib = 16, .first_buckets = 1});
  cluster.run({[&](Transaction&, rdma::Worker& worker) {
    EXPECT_TRUE(testing::handlers_survive(worker, methods()));
  }});
}

}  // namespace
}  // namespace verbena::txn::nam
