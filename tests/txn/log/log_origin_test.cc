// Records are of whom they say, and others are told.
#include "txn/log/log_origin.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "txn/store/lock_word.h"

namespace verbena::txn {
namespace {

constexpr std::uint32_t kPayload = 8;
constexpr NodeId kNode = 3;
constexpr WorkerId kWorker = 1;

struct Told {
  LockOwner owner{.node = kNode, .worker = kWorker, .fiber = 2, .attempt = 5};
  std::uint64_t sequence = 5;
  PartitionId named = 7;
  PartitionId updated = 7;
};

class LogOriginTest : public ::testing::Test {
 protected:
  std::string mistake(const Told& told) {
    std::vector<std::uint64_t> memory(32);
    const std::vector<PartitionId> partitions = {1, told.named};
    LogRecordWriter writer(reinterpret_cast<std::byte*>(memory.data()), 0, told.owner.word(),
                           told.sequence, partitions);
    const std::vector<std::byte> payload(kPayload);
    writer.add(
        {.key = 1, .version = 2, .entry = 3, .partition = told.updated, .table = 0, .reserved = 0},
        payload);
    const std::uint32_t bytes = writer.finish();
    const auto record =
        LogRecordReader::parse(std::as_bytes(std::span(memory)).first(bytes), 0).value();
    return origin_.mistake_of(record, kNode, kWorker, [](TableId) { return kPayload; });
  }

  LogOrigin origin_;
};

TEST_F(LogOriginTest, IsTheRingsWriter) {
  EXPECT_EQ(mistake({}), "");
  EXPECT_NE(
      mistake({.owner = {.node = 4, .worker = kWorker, .fiber = 2, .attempt = 6}, .sequence = 6}),
      "");
  EXPECT_NE(
      mistake({.owner = {.node = kNode, .worker = 0, .fiber = 2, .attempt = 6}, .sequence = 6}),
      "");
}

TEST_F(LogOriginTest, CountsItsAttempts) {
  EXPECT_EQ(mistake({}), "");
  EXPECT_NE(mistake({}), "") << "the same again";
  EXPECT_NE(mistake({.sequence = 6}), "") << "not that of the owner";
}

TEST_F(LogOriginTest, CountsTheAttemptsOfEachFiber) {
  EXPECT_EQ(mistake({}), "");
  EXPECT_EQ(mistake({.owner = {.node = kNode, .worker = kWorker, .fiber = 9, .attempt = 1},
                     .sequence = 1}),
            "");
}

TEST_F(LogOriginTest, CountsOnWhenTheOwnersNumberBeginsAgain) {
  EXPECT_EQ(mistake({.owner = {.node = kNode, .worker = kWorker, .fiber = 2, .attempt = 0x7fff},
                     .sequence = 0x7fff}),
            "");
  EXPECT_EQ(mistake({.owner = {.node = kNode, .worker = kWorker, .fiber = 2, .attempt = 0},
                     .sequence = 0x8000}),
            "");
}

TEST_F(LogOriginTest, NamesThePartitionsThatItChanges) { EXPECT_NE(mistake({.updated = 8}), ""); }

}  // namespace
}  // namespace verbena::txn
