// Entries of a memory server: those set aside for keys which will be claimed, and those of keys
// that came again elsewhere.
#include "txn/nam/index/key_index.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "tests/txn/nam/one_server.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

constexpr Nanoseconds kLongest = 10 * kMicrosecond;
constexpr RecordName kTable{.table = 0, .partition = static_cast<PartitionId>(0), .key = 0};
constexpr std::uint64_t kOwner = lock_word(1, 1);

class KeyIndexes : public ::testing::Test {
 protected:
  std::uint64_t& lock_of(std::uint32_t entry) {
    const std::uint64_t offset = layout_.current(kTable, entry).offset + kLockOffset;
    return *reinterpret_cast<std::uint64_t*>(memory_.at(offset, sizeof(std::uint64_t)));
  }
  /// As the collector does.
  void erase(Key key, std::uint32_t entry) {
    std::atomic_ref(lock_of(entry)).store(kGivenUp);
    index_.remove(key, entry, core_);
  }
  std::vector<EntryRun> allocate(std::uint32_t wanted) {
    std::array<EntryRun, kMostRuns> runs;
    const std::size_t used = index_.allocate(wanted, kOwner, runs, core_);
    return {runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(used)};
  }
  void put(std::uint32_t entry, Key key, bool erased) {
    const ImageFormat& format = layout_.table(kTable.table).format;
    const std::uint64_t payload = 0;
    format.compose(RecordImage(memory_.at(layout_.current(kTable, entry).offset, format.bytes())),
                   version_of({.slot = 1, .count = entry + 1}, erased), kFirstInstall, key,
                   reinterpret_cast<const std::byte*>(&payload));
  }
  /// An entry that is nobody's: a scan of all records takes it for none.
  void expect_nobodys(std::uint32_t entry) {
    EXPECT_EQ(index_.key_in(entry), kNoKey) << entry;
    EXPECT_EQ(index_.version(entry), kNeverThere) << entry;
  }

  const Deployment deployment_ =
      deployment_of({{.name = "one", .payload_bytes = 8, .insert_capacity = 100}});
  const Layout layout_{deployment_, {}};
  const NodeId server_ = deployment_.view.primary(kTable.partition);
  rdma::FirstTouchMemory memory_{"records", layout_.records_bytes(server_),
                                 layout_.loader(server_)};
  KeyIndex index_{layout_, kTable.partition, kTable.table, memory_, kLongest, nullptr};
  LoneCore core_;
};

// It was erased, its entry given up, and claimed again, none of which a checkpoint has.
TEST_F(KeyIndexes, RestoreAKeyOfTwoEntriesWhereItIsNotErased) {
  put(0, 5, true);
  put(1, 5, false);
  put(2, 6, false);
  put(3, 6, true);
  index_.restore(4);
  EXPECT_EQ(index_.find(5), 1U);
  EXPECT_EQ(index_.find(6), 2U);
  EXPECT_EQ(lock_of(0), kGivenUp);
  EXPECT_EQ(lock_of(3), kGivenUp);
}

TEST_F(KeyIndexes, SetEntriesAside) {
  const std::vector<EntryRun> runs = allocate(5);
  ASSERT_EQ(runs.size(), 1U);
  ASSERT_EQ(runs[0].count, 5U);
  for (std::uint32_t i = 0; i < 5; ++i) expect_nobodys(runs[0].first + i);
  EXPECT_EQ(index_.claim(7, runs[0].first, kOwner, core_).fresh, 1U);
  EXPECT_EQ(index_.find(7), runs[0].first);
  index_.free({.first = runs[0].first + 1, .count = 4}, core_);
  for (std::uint32_t i = 1; i < 5; ++i) {
    expect_nobodys(runs[0].first + i);
    EXPECT_EQ(lock_of(runs[0].first + i), kGivenUp);
  }
}

// Entries that are used again lie apart from each other, and one that was never used does not
// follow them: what a message has no room for is given back, and must not look like a record.
TEST_F(KeyIndexes, GiveBackWhatTheyHaveNoRunFor) {
  constexpr std::uint32_t kKeys = 2 * kMostRuns;
  for (Key key = 0; key < kKeys; ++key) {
    ASSERT_EQ(index_.claim(key, kAnyEntry, kOwner, core_).entry, key);
  }
  for (std::uint32_t entry = 0; entry < kKeys; entry += 2) erase(entry, entry);
  core_.pass(2 * kLongest);
  const std::vector<EntryRun> runs = allocate(kMostRuns + 1);
  ASSERT_EQ(runs.size(), kMostRuns);
  for (const EntryRun& run : runs) EXPECT_EQ(run.count, 1U);
  ASSERT_EQ(index_.used_entries(), kKeys + 1);
  expect_nobodys(kKeys);
  EXPECT_EQ(lock_of(kKeys), kGivenUp);
  EXPECT_EQ(index_.claim(1000, kAnyEntry, kOwner, core_).entry, kKeys) << "it is used next";
}

class OrderedKeyIndexes : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kKeys = 5000;

  void erase(std::uint32_t entry) {
    const std::uint64_t version = version_of({.slot = 1, .count = entry + 1}, true);
    put(entry, kLockOffset, version);
    put(entry, kVersionOffset, version);
  }
  void put(std::uint32_t entry, std::uint32_t offset, std::uint64_t word) {
    const std::uint64_t at = layout_.current(kTable, entry).offset + offset;
    std::memcpy(memory_.at(at, sizeof word), &word, sizeof word);
  }
  /// The oldest key that a snapshot sees which holds that vector, as a delivery asks for it.
  Key oldest(std::uint64_t holds, const KnownVector& settled) {
    std::array<ListedKey, 64> listed;
    KeyIndex::Stop stop;
    probes_ = 0;
    Key first = 0;
    for (;;) {
      const std::size_t found = index_.list(
          {.first = first, .last = kNoKey, .holds = holds}, 1, listed, stop, probes_,
          [](const ListedKey& key) { return deleted(key.version); }, settled,
          [this](const ListedKey&) { ++aside_; });
      if (found > 0) return listed[0].key;
      if (!stop.more) return kNoKey;
      first = stop.reached + 1;
    }
  }
  KnownVector vector(std::uint64_t number, std::uint32_t commits) const {
    return {.number = number,
            .counts = std::make_shared<const std::vector<std::uint32_t>>(
                std::vector<std::uint32_t>{0, commits})};
  }

  const Deployment deployment_ = deployment_of(
      {{.name = "one", .payload_bytes = 8, .insert_capacity = kKeys, .ordered = true}});
  const Layout layout_{deployment_, {}};
  const NodeId server_ = deployment_.view.primary(kTable.partition);
  rdma::FirstTouchMemory memory_{"records", layout_.records_bytes(server_),
                                 layout_.loader(server_)};
  KeyIndex index_{layout_, kTable.partition, kTable.table, memory_, kLongest, nullptr};
  LoneCore core_;
  std::uint32_t probes_ = 0;
  std::uint32_t aside_ = 0;
};

// They cost whoever comes first, and nobody else, though none of them may be taken out yet.
TEST_F(OrderedKeyIndexes, PassOverThousandsOfErasedKeysOnce) {
  for (Key key = 0; key < kKeys; ++key) {
    ASSERT_EQ(index_.claim(key, kAnyEntry, kOwner, core_).entry, key);
  }
  for (std::uint32_t entry = 0; entry + 1 < kKeys; ++entry) erase(entry);
  put(kKeys - 1, kVersionOffset, version_of({.slot = 1, .count = 1}, false));
  EXPECT_EQ(oldest(7, vector(7, kKeys)), kKeys - 1);
  EXPECT_GT(probes_, kKeys);
  EXPECT_EQ(aside_, kKeys - 1);
  EXPECT_EQ(oldest(7, vector(7, kKeys)), kKeys - 1);
  EXPECT_LE(probes_, 10U);
  EXPECT_EQ(oldest(6, vector(7, kKeys)), kKeys - 1) << "may need them";
  EXPECT_GT(probes_, kKeys);
}

TEST_F(OrderedKeyIndexes, PassOverNoKeyThatIsLockedOrComesAgain) {
  for (Key key = 0; key < 3; ++key) {
    ASSERT_EQ(index_.claim(key, kAnyEntry, kOwner, core_).entry, key);
    erase(static_cast<std::uint32_t>(key));
  }
  put(1, kLockOffset, kOwner);
  oldest(7, vector(7, 2));
  EXPECT_EQ(aside_, 1U) << "one is locked, one was erased after that vector";
  index_.set_back(0);
  put(0, kVersionOffset, version_of({.slot = 1, .count = 9}, false));
  EXPECT_EQ(oldest(8, vector(8, 9)), 0U);
}

}  // namespace
}  // namespace verbena::txn::nam
