// Requests of OCC's two-sided phases.
#include <gtest/gtest.h>

#include <vector>

#include "tests/fuzz/messages.h"
#include "tests/txn/occ/transaction_cluster.h"
#include "txn/log/log_record.h"
#include "txn/occ/attempt/coordinator.h"
#include "txn/occ/node/messages.h"
#include "txn/store/record.h"

namespace verbena::txn::occ {
namespace {

using testing::message_of;

constexpr std::uint64_t kOwner = 77;
constexpr std::uint64_t kPayload = 5;

ClusterOptions options() {
  ClusterOptions all{.schema = {word_table("words", 1, 100, 20)}, .max_scanned = 8};
  all.schema.push_back(word_table("ordered", 2, 50, 20));
  all.schema.back().ordered = true;
  return all;
}

RecordCheck check(std::uint32_t entry) {
  return {.version = 1, .entry = entry, .table = 0, .reserved = {}};
}

RecordUpdate update(std::uint32_t entry) {
  return {.key = entry, .version = 2, .entry = entry, .table = 0, .reserved = {}};
}

GroupHeader group(std::uint32_t records) {
  return {.owner = kOwner, .records = records, .reserved = 0};
}

// Records are locked before they are committed to, or unlocked.
std::vector<testing::AskedMethod> methods() {
  const ReadRequest read{
      .key = 3, .owner = kOwner, .table = 0, .insert = false, .lock = false, .reserved = {}};
  ReadRequest insert = read;
  insert.key = 1000;
  insert.insert = insert.lock = true;
  const ScanRequest scan{.first = 3,
                         .last = 30,
                         .owner = kOwner,
                         .position = 0,
                         .limit = 8,
                         .table = 1,
                         .descending = false,
                         .validate = false,
                         .reserved = 0};
  RecordUpdate erased = update(7);
  erased.version |= kAbsent;
  const LogUpdate logged{
      .key = 3, .version = 9, .entry = 3, .partition = 2, .table = 0, .reserved = 0};
  const ApplyHeader apply{.begin = 0, .bytes = 96, .updates = 1, .messages = 2};
  return {
      {"read", Method::kRead, {message_of(read), message_of(insert)}},
      {"lock", Method::kLock, {message_of(group(2), check(1), check(2))}},
      {"validate", Method::kValidate, {message_of(group(2), check(4), check(5))}},
      {"log", Method::kLog, {message_of(LogPiece{.place = 64}, kPayload, kPayload)}},
      {"commit",
       Method::kCommit,
       {message_of(group(0)), message_of(group(0), update(1), kPayload)}},
      {"unlock", Method::kUnlock, {message_of(group(2), check(4), check(5))}},
      {"scan", Method::kScan, {message_of(scan)}},
      {"unindex", Method::kUnindex, {message_of(erased)}},
      {"apply", Method::kApply, {message_of(apply, logged, kPayload)}},
      {"reclaim", Method::kReclaim, {message_of(ReclaimRequest{.limit = 0})}},
  };
}

TEST(OccMessagesFuzz, RequestsThatNoPeerSendsAreRefused) {
  TransactionCluster cluster(options());
  const NodeId node{0};
  cluster.run_on(node, [&](Transaction&) {
    EXPECT_TRUE(
        testing::handlers_survive(cluster.coordinator(node, WorkerId{0}).worker(), methods()));
  });
}

}  // namespace
}  // namespace verbena::txn::occ
