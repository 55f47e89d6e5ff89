// An attempt is written down as its client saw it.
#include "txn/client_recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "txn/client_history.h"
#include "txn/moment.h"
#include "txn/schema/value_digest.h"
#include "txn/transaction.h"

namespace verbena::txn {
namespace {

class ClientRecorderTest : public ::testing::Test {
 protected:
  const ClientAttempt& last() const { return history_.attempts.back(); }

  CountedMoments moments_;
  ClientHistory history_;
  ClientRecorder recorder_{{}, moments_, history_};
};

TEST_F(ClientRecorderTest, KeepsTheLastTimestampOfEachAttempt) {
  recorder_.begin(0_ns);
  recorder_.take_timestamp(40);
  recorder_.take_timestamp(42);
  recorder_.end(Outcome::kCommitted, 1_ns);
  EXPECT_EQ(last().timestamp, 42U);
  recorder_.begin(2_ns);
  recorder_.end(Outcome::kRolledBack, 3_ns);
  EXPECT_EQ(last().timestamp, 0U) << "it took none";
}

TEST_F(ClientRecorderTest, KeepsTheTimestampOfAnAttemptWhoseClientIsGone) {
  recorder_.begin(0_ns);
  recorder_.take_timestamp(42);
  recorder_.lose({});
  EXPECT_EQ(last().timestamp, 42U);
  EXPECT_FALSE(last().told);
}

TEST_F(ClientRecorderTest, WritesDownWhatWasReplacedUnseen) {
  std::array<std::byte, 8> payload{std::byte{7}};
  std::vector<Transaction::Item> items = {{.payload = payload.data(),
                                           .bytes = payload.size(),
                                           .intent = Transaction::Intent::kOverwrite,
                                           .fetched = true,
                                           .found = true,
                                           .blind = true}};
  recorder_.begin(0_ns);
  recorder_.want({.table = 0, .partition = 0, .key = 3}, 0);
  recorder_.fetch(items);
  items[0].written = true;
  recorder_.write(items);
  recorder_.end(Outcome::kCommitted, 1_ns);
  ASSERT_EQ(last().accesses, 1U);
  const ClientAccess& access = history_.accesses(last())[0];
  EXPECT_FALSE(access.fetched);
  EXPECT_TRUE(access.writes);
  EXPECT_EQ(access.written, digest_of(payload));
}

}  // namespace
}  // namespace verbena::txn
