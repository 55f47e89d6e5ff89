// Timestamps of one client.
#include <gtest/gtest.h>

#include "rdma/base/time.h"
#include "txn/prism/clients.h"
#include "txn/prism_tx/records/timestamp.h"

namespace verbena::txn::prism_tx {
namespace {

constexpr std::uint64_t kClient = 7;

TEST(Timestamps, AreTheTimeInUnitsAndTheClient) {
  Timestamps timestamps(kClient, 0_ns);
  EXPECT_EQ(timestamps.take(160_ns, kLoadedAt), timestamp_of(10, kClient));
  EXPECT_EQ(timestamps.take(175_ns + kMicrosecond, kLoadedAt), timestamp_of(73, kClient));
}

TEST(Timestamps, TheClockMayBeAhead) {
  Timestamps timestamps(kClient, 32_ns);
  EXPECT_EQ(timestamps.take(160_ns, kLoadedAt), timestamp_of(12, kClient));
}

TEST(Timestamps, GrowAlsoWhereTheClockStandsStill) {
  Timestamps timestamps(kClient, 0_ns);
  Timestamp last = 0;
  for (int i = 0; i < 100; ++i) {
    const Timestamp next = timestamps.take(160_ns, kLoadedAt);
    EXPECT_GT(next, last);
    EXPECT_EQ(next & prism::kMostClients, kClient);
    last = next;
  }
}

TEST(Timestamps, AreLaterThanWhatIsKnown) {
  Timestamps timestamps(kClient, 0_ns);
  const Timestamp known = timestamp_of(1000, kClient + 1);
  const Timestamp next = timestamps.take(160_ns, known);
  EXPECT_GT(next, known);
  EXPECT_EQ(next & prism::kMostClients, kClient);
}

TEST(Timestamps, AreLaterThanWhatWasNotedOnce) {
  Timestamps timestamps(kClient, 0_ns);
  const Timestamp seen = timestamp_of(1000, kClient - 1);
  timestamps.note(seen);
  timestamps.note(kLoadedAt);
  EXPECT_GT(timestamps.take(160_ns, kLoadedAt), seen);
}

TEST(Timestamps, OfTwoClientsDifferAtAnyTime) {
  Timestamps one(kClient, 0_ns);
  Timestamps other(kClient + 1, 0_ns);
  for (int i = 0; i < 10; ++i) EXPECT_NE(one.take(16_ns, 0), other.take(16_ns, 0));
}

// Else a word would begin again at 0, below all that was seen.
TEST(Timestamps, GrowWhereTheClockHasRunForDays) {
  Timestamps timestamps(kClient, 0_ns);
  Timestamp last = 0;
  for (int hours = 30; hours < 300; hours += 5) {
    const Timestamp next = timestamps.take(3600 * hours * kSecond, kLoadedAt);
    EXPECT_GT(next, last) << hours;
    last = next;
  }
}

}  // namespace
}  // namespace verbena::txn::prism_tx
