// Which check a promise asks for.
#include "txn/check/isolation_check.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace verbena::txn {
namespace {

// The second began after the first had ended, and read what was there before it.
History stale_read() {
  const RecordName record{.table = 0, .partition = 0, .key = 1};
  History history;
  const std::array write = {
      HistoryAccess{.record = record, .read_version = 1, .written_version = 2}};
  const std::array read = {HistoryAccess{.record = record, .read_version = 1}};
  history.add({.owner = {}, .sequence = 1, .committed = true, .begin = 0_ns, .end = 10_ns}, write);
  history.add({.owner = {}, .sequence = 2, .committed = true, .begin = 20_ns, .end = 30_ns}, read);
  return history;
}

TEST(IsolationCheck, OnlyStrictSerializabilityMindsRealTime) {
  EXPECT_TRUE(violation(Isolation::kStrictSerializability, stale_read()).has_value());
  EXPECT_FALSE(violation(Isolation::kSerializability, stale_read()).has_value());
}

TEST(IsolationCheck, SaysWhichLevelsItKnows) {
  EXPECT_TRUE(can_check(Isolation::kStrictSerializability));
  EXPECT_FALSE(can_check(Isolation::kSnapshotIsolation));
  EXPECT_THROW(violation(Isolation::kSnapshotIsolation, {}), std::logic_error);
}

}  // namespace
}  // namespace verbena::txn
