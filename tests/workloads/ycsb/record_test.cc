// A record of YCSB is found out when it is torn, misplaced, or has lost a change.
#include "workloads/ycsb/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace verbena::workloads::ycsb {
namespace {

constexpr std::uint32_t kFields = 10;
constexpr std::uint32_t kFieldBytes = 100;
constexpr txn::PartitionId kPartition = 3;
constexpr txn::Key kKey = 77;

class RecordTest : public ::testing::Test {
 protected:
  std::vector<std::byte> record(txn::PartitionId partition, txn::Key key) const {
    std::vector<std::byte> payload(format_.bytes());
    format_.write(partition, key, payload);
    return payload;
  }
  void change(std::uint32_t field, std::vector<std::byte>& payload) const {
    format_.change(kPartition, kKey, field, payload);
  }
  std::string fault(const std::vector<std::byte>& payload) const {
    return format_.fault(kPartition, kKey, 0, payload);
  }

  RecordFormat format_{kFields, kFieldBytes, 24};
};

TEST_F(RecordTest, HasRoomForItsCounterItsKeyAndItsFields) {
  EXPECT_EQ(format_.bytes(), 8 + 16 + 1000U);
  EXPECT_EQ(RecordFormat(1, 8, 8).bytes(), 16U);
}

TEST_F(RecordTest, IsInOrderAtFirstAndAfterChanges) {
  std::vector<std::byte> payload = record(kPartition, kKey);
  EXPECT_EQ(fault(payload), "");
  EXPECT_EQ(RecordFormat::changes(payload), 0U);
  for (std::uint32_t i = 0; i < 25; ++i) change(i % 7, payload);
  EXPECT_EQ(fault(payload), "");
  EXPECT_EQ(RecordFormat::changes(payload), 25U);
}

TEST_F(RecordTest, AnInsertionCountsAsAChangeOfNoField) {
  std::vector<std::byte> payload = record(kPartition, kKey);
  RecordFormat::count_change(payload);
  EXPECT_EQ(format_.fault(kPartition, kKey, 1, payload), "");
  EXPECT_EQ(fault(payload), "it counts 1 changes, its fields 0");
}

TEST_F(RecordTest, IsInOrderWhenAllOfItIsReplaced) {
  std::vector<std::byte> payload = record(kPartition, kKey);
  const std::uint64_t number = std::uint64_t{5} << 60;  // ten times it is more than 64 bits hold
  format_.replace(kPartition, kKey, number, payload);
  EXPECT_EQ(fault(payload), "");
  std::vector<std::byte> other = payload;
  format_.replace(kPartition, kKey, number + 1, other);
  EXPECT_NE(payload, other);
  std::copy_n(other.begin(), 500, payload.begin());
  EXPECT_NE(fault(payload), "");
}

TEST_F(RecordTest, AChangeGivesAFieldOtherContent) {
  std::vector<std::byte> payload = record(kPartition, kKey);
  const std::vector<std::byte> before = payload;
  change(4, payload);
  const auto differs = [&](std::uint32_t field) {
    const auto at = 24 + field * kFieldBytes + 8;
    return !std::equal(payload.begin() + at, payload.begin() + at + kFieldBytes - 8,
                       before.begin() + at);
  };
  for (std::uint32_t field = 0; field < kFields; ++field) EXPECT_EQ(differs(field), field == 4);
}

TEST_F(RecordTest, IsFoundOutWhereAnotherBelongs) {
  EXPECT_NE(fault(record(kPartition, kKey + 1)), "");
  EXPECT_NE(fault(record(kPartition + 1, kKey)), "");
  const RecordFormat least(1, 8, 16);
  std::vector<std::byte> other(least.bytes());
  least.write(kPartition, kKey + 1, other);
  EXPECT_EQ(least.fault(kPartition, kKey, 0, other), "its key is another record's");
}

// A record torn between two successive states, each in turn being the first part.
TEST_F(RecordTest, IsFoundOutWhenTornAtAnyCacheLine) {
  std::vector<std::byte> older = record(kPartition, kKey);
  for (std::uint32_t i = 0; i < 30; ++i) change(i % kFields, older);
  std::vector<std::byte> newer = older;
  change(5, newer);
  for (std::size_t at = 64; at < older.size(); at += 64) {
    std::vector<std::byte> torn = older;
    std::copy(newer.begin() + static_cast<std::ptrdiff_t>(at), newer.end(),
              torn.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_TRUE(torn == older || !fault(torn).empty()) << at;
    std::copy(newer.begin(), newer.begin() + static_cast<std::ptrdiff_t>(at), torn.begin());
    std::copy(older.begin() + static_cast<std::ptrdiff_t>(at), older.end(),
              torn.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_TRUE(torn == newer || !fault(torn).empty()) << at;
  }
}

TEST_F(RecordTest, IsFoundOutWhenAnyByteOfAFieldIsAnother) {
  const std::vector<std::byte> whole = record(kPartition, kKey);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> payload = whole;
    payload[at] ^= std::byte{1};
    EXPECT_NE(fault(payload), "") << at;
  }
}

}  // namespace
}  // namespace verbena::workloads::ycsb
