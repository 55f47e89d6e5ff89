// Blocks of ABDLOCK as they are loaded, and what is wrong with them at rest.
#include "txn/blocks/lock/lock_at_rest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "txn/blocks/lock/lock_layout.h"
#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {
namespace {

constexpr std::uint64_t kKeys = 1000;
constexpr std::uint32_t kBytes = 100;
constexpr std::uint64_t kClients = 8;
constexpr std::uint64_t kLostClient = 5;

std::byte loaded(Key key, std::size_t at) { return static_cast<std::byte>(key * 7 + at); }

Schema schema() {
  TableDefinition table;
  table.name = "blocks";
  table.payload_bytes = kBytes;
  table.initial_records = kKeys;
  table.load = [](PartitionId, Key key, std::span<std::byte> payload) {
    for (std::size_t at = 0; at < payload.size(); ++at) payload[at] = loaded(key, at);
  };
  return {TableDefinition{.name = "empty"}, table};
}

constexpr TableId kTable = 1;

// NICs tell locks apart by 12 low bits.
TEST(LockLayout, SpreadsLocksOverTheLowBitsOfAddresses) {
  Schema schema(1);
  schema[0].payload_bytes = 512;
  schema[0].initial_records = kKeys;
  const LockLayout layout(schema);
  std::set<std::uint64_t> low_bits;
  std::uint64_t end = 0;
  for (std::uint64_t index = 0; index < kKeys; ++index) {
    const std::uint64_t offset = layout.block_at(0, index);
    EXPECT_EQ(offset % sizeof(std::uint64_t), 0U);
    EXPECT_GE(offset, end);
    end = offset + sizeof(LockBlock) + schema[0].payload_bytes;
    EXPECT_EQ(offset / 1024, (end - 1) / 1024) << "a block touches one page";
    low_bits.insert(offset % 4096);
  }
  EXPECT_GT(low_bits.size(), 200U);
  EXPECT_LE(end, layout.region_bytes());
}

class LocksAtRestTest : public ::testing::Test {
 protected:
  RecordName name(Key key) const { return {.table = kTable, .partition = 0, .key = key}; }

  LockBlock block(Key key) {
    LockBlock block;
    std::memcpy(&block, region_.at(*layout_.block(kTable, key), sizeof block), sizeof block);
    return block;
  }
  void put(Key key, const LockBlock& block) {
    std::memcpy(region_.at(*layout_.block(kTable, key), sizeof block), &block, sizeof block);
  }
  void put_value(Key key, std::byte value) {
    std::byte* const to =
        region_.at(*layout_.block(kTable, key), sizeof(LockBlock) + kBytes) + sizeof(LockBlock);
    std::memset(to, static_cast<int>(value), kBytes);
  }

  LockLayout layout_{schema()};
  rdma::Region region_{RegionId{0}, "blocks", layout_.region_bytes(), layout_.loader()};
  LocksAtRest state_{layout_, region_,
                     [](std::uint64_t client) {
                       return client > 0 && client <= kClients ? "somebody" : std::string();
                     },
                     [](std::uint64_t client) { return client == kLostClient; }};
};

TEST_F(LocksAtRestTest, BlocksBeginUnlockedWithTheLoadedTagAndValue) {
  for (const Key key : {Key{0}, Key{3}, Key{4}, Key{999}}) {
    EXPECT_EQ(block(key).lock, 0U) << key;
    EXPECT_EQ(state_.version(name(key)), kLoadedTag.word) << key;
    std::vector<std::byte> value(kBytes);
    ASSERT_TRUE(state_.get(name(key), value)) << key;
    for (std::size_t at = 0; at < kBytes; ++at) ASSERT_EQ(value[at], loaded(key, at)) << key;
  }
  EXPECT_EQ(state_.version(name(kKeys)), 0U);
  std::vector<std::byte> value(kBytes);
  EXPECT_FALSE(state_.get(name(kKeys), value));
  EXPECT_TRUE(state_.self_check().errors.empty());
}

TEST_F(LocksAtRestTest, BlocksAreApartFromEachOtherAndAligned) {
  for (Key key = 0; key + 1 < kKeys; ++key) {
    const std::uint64_t at = *layout_.block(kTable, key);
    EXPECT_EQ(at % 8, 0U);
    EXPECT_GE(*layout_.block(kTable, key + 1), at + sizeof(LockBlock) + kBytes);
  }
}

// Blocks that were not touched are not looked at, however blocks and pages lie.
TEST_F(LocksAtRestTest, ChangedBlocksAreVisitedOnce) {
  put(17, {.lock = 0, .tag = Tag::of(2, 3).word});
  put_value(17, std::byte{1});
  block(500);
  std::vector<Key> changed;
  state_.visit_changed(kTable, 0, [&](Key key, bool present, std::span<const std::byte> value) {
    changed.push_back(key);
    EXPECT_TRUE(present);
    EXPECT_EQ(value.size(), kBytes);
    EXPECT_EQ(value.front(), std::byte{1});
  });
  EXPECT_EQ(changed, std::vector<Key>{17});
  EXPECT_EQ(state_.version(name(17)), Tag::of(2, 3).word);
  const SelfCheck check = state_.self_check();
  EXPECT_TRUE(check.errors.empty());
  EXPECT_LT(check.records, 50U);
  EXPECT_TRUE(check.copies.empty()) << "copies may differ";
}

TEST_F(LocksAtRestTest, ALockThatIsHeldIsAnErrorButForALostClients) {
  put(4, {.lock = 2, .tag = kLoadedTag.word});
  put(5, {.lock = kLostClient, .tag = kLoadedTag.word});
  put(6, {.lock = 77, .tag = kLoadedTag.word});
  EXPECT_EQ(
      state_.self_check().errors,
      (std::vector<std::string>{"table 1: block 4 is locked by client 2, somebody",
                                "table 1: block 6 is locked by client 77, which there is not"}));
}

TEST_F(LocksAtRestTest, TagsThatNobodyGivesAreErrors) {
  put(4, {.lock = 0, .tag = Tag::of(2, 0).word});
  put(5, {.lock = 0, .tag = Tag::of(1, 3).word});
  put(6, {.lock = 0, .tag = Tag::of(9, kClients + 1).word});
  put_value(7, std::byte{1});
  EXPECT_EQ(state_.self_check().errors,
            (std::vector<std::string>{
                "table 1: block 4 has tag 2 of client 0, which nobody gives",
                "table 1: block 5 has tag 1 of client 3, which nobody gives",
                "table 1: block 6 has tag 9 of client 9, which nobody gives",
                "table 1: block 7 has the tag that it was loaded with, and another value"}));
}

}  // namespace
}  // namespace verbena::txn::blocks
