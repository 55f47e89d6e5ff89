// Limits on the age of snapshots that no transaction can keep.
#include "txn/snapshot/age_limit.h"

#include <gtest/gtest.h>

#include <string>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

constexpr Nanoseconds kLimit = 20 * kMicrosecond;

// Attempts of one fiber, each as long as it is told.
class Attempts {
 public:
  // Nothing in what is returned: it may be tried again.
  std::string too_old(Nanoseconds age, Nanoseconds already = 0) {
    const Nanoseconds snapshot = now_ - already;
    now_ += age - already;
    EXPECT_FALSE(limit_.allows(snapshot, now_));
    return end(false);
  }
  // By the snapshot of the attempt before, since no other has come.
  std::string too_old_again() {
    EXPECT_FALSE(limit_.allows(kLastSnapshot, now_ += 40 * kMicrosecond));
    return end(false);
  }
  std::string in_time(bool over) {
    EXPECT_TRUE(limit_.allows(now_ - kLimit, now_));
    return end(over);
  }

 private:
  std::string end(bool over) {
    try {
      limit_.attempt_ended(over, now_);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  }

  AgeLimit limit_{
      {.name = "nam.longest_transaction", .value = kLimit, .by_default = 100 * kMillisecond}};
  static constexpr Nanoseconds kLastSnapshot = kSecond;
  Nanoseconds now_ = 2 * kSecond;
};

TEST(AgeLimit, IsRefusedWhenATransactionGetsTooOldHoweverOftenItIsTried) {
  Attempts attempts;
  for (std::uint32_t i = 1; i < AgeLimit::kTries; ++i) {
    EXPECT_EQ(attempts.too_old(i == 7 ? 31 * kMicrosecond : 40 * kMicrosecond), "") << i;
  }
  EXPECT_EQ(attempts.too_old(35 * kMicrosecond),
            "nam.longest_transaction 20us; allowed is more than 31us (by default it is 100ms): a "
            "transaction was tried 100 times, and each time its snapshot got as old as that before "
            "it was done");
}

TEST(AgeLimit, ThatSomeTransactionsCanKeepStands) {
  Attempts attempts;
  for (int i = 0; i < 10; ++i) {
    for (std::uint32_t tries = 1; tries < AgeLimit::kTries; ++tries) {
      EXPECT_EQ(attempts.too_old(40 * kMicrosecond), "");
    }
    EXPECT_EQ(attempts.in_time(true), "");
  }
}

// Nor do they speak for it.
TEST(AgeLimit, IsNotKeptByAttemptsThatOthersGotInTheWayOf) {
  Attempts attempts;
  std::string refused;
  for (std::uint32_t i = 1; i <= AgeLimit::kTries; ++i) {
    EXPECT_EQ(refused, "") << i;
    EXPECT_EQ(attempts.in_time(false), "") << i;
    refused = attempts.too_old(40 * kMicrosecond);
  }
  EXPECT_NE(refused, "");
  Attempts others;
  for (std::uint32_t i = 0; i < 10 * AgeLimit::kTries; ++i) EXPECT_EQ(others.in_time(false), "");
}

TEST(AgeLimit, IsNotRefusedSinceNoOtherSnapshotComes) {
  Attempts attempts;
  for (std::uint32_t i = 0; i < 10 * AgeLimit::kTries; ++i) {
    EXPECT_EQ(attempts.too_old_again(), "") << i;
  }
}

// As where what fetches them for all has stalled.
TEST(AgeLimit, IsNotRefusedSinceSnapshotsAreOldForAWhile) {
  Attempts attempts;
  for (std::uint32_t i = 0; i < 15 * AgeLimit::kTries; ++i) {
    EXPECT_EQ(attempts.too_old(301 * kMicrosecond, 300 * kMicrosecond), "") << i;
  }
  std::string refused;
  for (std::uint32_t i = 0; i < 5 * AgeLimit::kTries && refused.empty(); ++i) {
    refused = attempts.too_old(301 * kMicrosecond, 300 * kMicrosecond);
  }
  EXPECT_NE(refused.find("allowed is more than 301us"), std::string::npos) << refused;
}

}  // namespace
}  // namespace verbena::txn
