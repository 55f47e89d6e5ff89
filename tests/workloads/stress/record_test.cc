// Content that tells one write of a record from all others, and from none.
#include "workloads/stress/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace verbena::workloads::stress {
namespace {

constexpr txn::RecordName kName = {
    .table = 1, .partition = static_cast<txn::PartitionId>(2), .key = 6};

using Payload = std::array<std::byte, 200>;

Payload written(Stamp stamp, const txn::RecordName& name = kName) {
  Payload payload{};
  write_content(name, stamp, payload);
  return payload;
}

TEST(StressRecord, HasNoFaultAsItWasWrittenOrLoaded) {
  EXPECT_EQ(content_fault(kName, written(17)), "");
  EXPECT_EQ(content_fault(kName, written(initial_stamp(kName))), "");
}

TEST(StressRecord, HalvesOfTwoWritesAreNoContent) {
  const Payload one = written(17);
  for (std::size_t half = 8; half < one.size(); half += 8) {
    Payload torn = written(18);
    std::copy_n(one.begin(), half, torn.begin());
    EXPECT_NE(content_fault(kName, torn), "") << half << " bytes of the other";
  }
}

TEST(StressRecord, WhatAnotherRecordHoldsIsNoContent) {
  txn::RecordName other = kName;
  ++other.key;
  EXPECT_NE(content_fault(kName, written(17, other)), "");
  Payload loaded{};
  write_content(kName, initial_stamp(other), loaded);
  EXPECT_NE(content_fault(kName, loaded), "") << "though the words follow from it";
}

TEST(StressRecord, ZeroesAreNoContent) { EXPECT_NE(content_fault(kName, Payload{}), ""); }

// There is room for nothing but a stamp.
TEST(StressRecord, OfOneWordTellsWhatWasLoadedElsewhere) {
  std::array<std::byte, 8> payload{};
  write_content(kName, 17, payload);
  EXPECT_EQ(content_fault(kName, payload), "");
  txn::RecordName other = kName;
  other.table = 0;
  write_content(kName, initial_stamp(other), payload);
  EXPECT_NE(content_fault(kName, payload), "");
}

}  // namespace
}  // namespace verbena::workloads::stress
