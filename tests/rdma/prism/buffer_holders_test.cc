// Which client has a buffer, from one hand to the next.
#include "rdma/prism/buffer_holders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace verbena::rdma {
namespace {

using Buffers = std::vector<std::uint64_t>;
using Report = BufferHolders::Report;

constexpr NodeId kFirst{3};
constexpr NodeId kSecond{4};

class BufferHoldersTest : public ::testing::Test {
 protected:
  /// From 4096 on, of 64 B.
  BufferHolders holders_{4096, 64, 5000};
};

TEST_F(BufferHoldersTest, WhoTakesABufferHasIt) {
  holders_.take(4096, kFirst);
  holders_.take(4096 + 64 * 4999, kFirst);
  holders_.take(4160, kSecond);
  EXPECT_EQ(holders_.collect(kFirst), (Buffers{4096, 4096 + 64 * 4999}));
  EXPECT_EQ(holders_.collect(kSecond), Buffers{4160});
}

TEST_F(BufferHoldersTest, WhatIsNoBufferIsNobodys) {
  for (const std::uint64_t nowhere : {0UL, 64UL, 4097UL, 4096UL + 64 * 5000}) {
    holders_.take(nowhere, kFirst);
  }
  EXPECT_EQ(holders_.collect(kFirst), Buffers{});
}

TEST_F(BufferHoldersTest, WhatIsReportedIsNobodys) {
  holders_.take(4160, kFirst);
  EXPECT_EQ(holders_.give_back(4160, kFirst), Report::kTaken);
  EXPECT_EQ(holders_.give_back(4160, kFirst), Report::kNotHeld);
  EXPECT_EQ(holders_.collect(kFirst), Buffers{});
}

TEST_F(BufferHoldersTest, NobodyReportsWhatHeDoesNotHave) {
  holders_.take(4160, kFirst);
  EXPECT_EQ(holders_.give_back(4160, kSecond), Report::kNotHeld);
  EXPECT_EQ(holders_.give_back(4224, kFirst), Report::kNotHeld);
  EXPECT_EQ(holders_.give_back(4096 + 64 * 4000, kFirst), Report::kNotHeld);
  EXPECT_EQ(holders_.give_back(4161, kFirst), Report::kNotHeld);
  EXPECT_EQ(holders_.collect(kFirst), Buffers{4160});
}

TEST_F(BufferHoldersTest, ReportsOfTheDeadCountForNothing) {
  holders_.take(4160, kFirst);
  holders_.take(4224, kSecond);
  EXPECT_EQ(holders_.collect(kFirst), Buffers{4160});
  EXPECT_EQ(holders_.give_back(4160, kFirst), Report::kCollected);
  EXPECT_EQ(holders_.give_back(4224, kSecond), Report::kTaken);
  EXPECT_EQ(holders_.collect(kFirst), Buffers{});
}

}  // namespace
}  // namespace verbena::rdma
