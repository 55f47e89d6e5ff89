// A hash table that grows: what those find who read its buckets by what they were told of it.
#include "txn/nam/index/growing_hash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>

#include "rdma/seam/first_touch_memory.h"
#include "tests/txn/nam/one_server.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {
namespace {

constexpr RecordName kTable{.table = 0, .partition = static_cast<PartitionId>(0), .key = 0};
constexpr std::uint64_t kCapacity = 200;

class GrowingHashes : public ::testing::Test {
 protected:
  void add(Key key) {
    GrowingHash::Chains chains(hash_, key, &core_);
    ASSERT_FALSE(chains.find()) << key;
    chains.add(static_cast<std::uint32_t>(key));
  }
  void remove(Key key) {
    GrowingHash::Chains chains(hash_, key, &core_);
    ASSERT_TRUE(chains.find(static_cast<std::uint32_t>(key))) << key;
    chains.remove();
  }

  /// As a compute server that was told of the generation.
  std::optional<std::uint32_t> read(Key key, std::uint32_t generation) {
    RecordName name = kTable;
    name.key = key;
    for (RemoteAddress at = layout_.bucket(name, generation);;) {
      Bucket bucket;
      std::memcpy(&bucket, memory_.at(at.offset, sizeof bucket), sizeof bucket);
      if (const auto entry = bucket.find(key)) return entry;
      const auto next = bucket.next();
      if (!next) return std::nullopt;
      at = layout_.indirect_bucket(name, generation, *next);
    }
  }
  void expect_all(Key keys, std::uint32_t generation) {
    for (Key key = 0; key < keys; ++key) EXPECT_EQ(read(key, generation), key) << generation;
  }

  void grow(const std::function<void()>& meanwhile, const std::function<void()>& while_told) {
    hash_.grow(
        core_,
        [&] {
          meanwhile();
          return true;
        },
        [&](std::uint32_t /*generation*/) { while_told(); });
  }

  const Deployment deployment_ =
      deployment_of({{.name = "one", .payload_bytes = 8, .insert_capacity = kCapacity}});
  const Layout layout_{deployment_, {.first_buckets = 1}};
  const NodeId server_ = deployment_.view.primary(kTable.partition);
  rdma::FirstTouchMemory memory_{"records", layout_.records_bytes(server_),
                                 layout_.loader(server_)};
  GrowingHash hash_{layout_, kTable, memory_};
  LoneCore core_;
  Key next_ = 0;
};

TEST_F(GrowingHashes, HaveAllKeysInTheNextGeneration) {
  while (!hash_.wants_to_grow()) add(next_++);
  EXPECT_GT(next_, 5U);
  grow([] {}, [] {});
  expect_all(next_, 1);
  for (Key key = 0; key < next_; ++key) EXPECT_EQ(hash_.find(key), key);
  EXPECT_FALSE(hash_.wants_to_grow());
}

// A look-up in the earlier generation, by a node that has seen no other version of the catalog
// since, finds all that came before that changed.
TEST_F(GrowingHashes, HaveNewKeysWhereverSomebodyLooksForThem) {
  while (!hash_.wants_to_grow()) add(next_++);
  grow([&] { add(next_++); },
       [&] {
         add(next_++);
         expect_all(next_, 0);
         expect_all(next_, 1);
       });
  const Key before = next_;
  add(next_++);
  expect_all(before, 0);
  expect_all(next_, 1);
}

TEST_F(GrowingHashes, ForgetKeysThatGoMeanwhile) {
  while (!hash_.wants_to_grow()) add(next_++);
  Key gone = 0;
  grow([&] { remove(gone++); }, [&] { remove(gone++); });
  remove(gone++);
  EXPECT_GE(gone, 3U);
  for (Key key = 0; key < next_; ++key) {
    EXPECT_EQ(hash_.find(key).has_value(), key >= gone) << key;
    EXPECT_EQ(read(key, 1).has_value(), key >= gone) << key;
  }
}

// Growth that was broken off begins again.
TEST_F(GrowingHashes, CanBeLeftWhileTheyGrow) {
  while (!hash_.wants_to_grow()) add(next_++);
  const auto tell = [](std::uint32_t /*generation*/) { FAIL() << "it was broken off"; };
  hash_.grow(
      core_, [] { return false; }, tell);
  add(next_++);
  expect_all(next_, 0);
  for (Key key = 0; key < next_; ++key) EXPECT_EQ(hash_.find(key), key);
  EXPECT_TRUE(hash_.wants_to_grow());
  grow([] {}, [] {});
  expect_all(next_, 1);
}

// Restored hash tables, as if they had grown before.
TEST_F(GrowingHashes, CanBeginWithALaterGeneration) {
  EXPECT_EQ(layout_.generation_for(0, 0), 0U);
  EXPECT_EQ(layout_.generation_for(0, kCapacity), layout_.table(0).hash.size() - 1);
  const std::uint32_t later = layout_.generation_for(0, 20);
  EXPECT_EQ(later, 1U);
  hash_.begin_with(later);
  for (; next_ < 20; ++next_) add(next_);
  EXPECT_FALSE(hash_.wants_to_grow());
  expect_all(next_, later);
  EXPECT_FALSE(read(0, 0));
}

TEST_F(GrowingHashes, GrowUpToTheirCapacity) {
  for (; next_ < kCapacity; ++next_) {
    add(next_);
    if (hash_.wants_to_grow()) grow([] {}, [] {});
  }
  const auto last = static_cast<std::uint32_t>(layout_.table(0).hash.size() - 1);
  EXPECT_EQ(last, 3U) << "1, 4, 16, 64 buckets";
  expect_all(kCapacity, last);
  EXPECT_FALSE(hash_.wants_to_grow());
}

}  // namespace
}  // namespace verbena::txn::nam
