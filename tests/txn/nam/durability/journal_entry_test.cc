// Entries of journals: composed, taken apart, and found torn.
#include "txn/nam/durability/journal_entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

constexpr std::uint32_t kSlots = 1 + 2 * 6;

Deployment deployment() {
  const View view({Role::kCompute, Role::kCompute, Role::kMemory, Role::kMemory, Role::kOracle},
                  {{static_cast<NodeId>(2)}, {static_cast<NodeId>(3)}});
  Deployment all{.schema = {{.name = "short", .payload_bytes = 20, .initial_records = 10},
                            {.name = "long", .payload_bytes = 200, .initial_records = 10}},
                 .limits = {},
                 .view = view,
                 .fibers = 3};
  all.limits = TransactionLimits::any_of(all.schema, 4);
  return all;
}

class JournalEntryTest : public ::testing::Test {
 protected:
  std::vector<std::byte> compose(std::span<const std::uint32_t> base) {
    std::vector<std::byte> memory(JournalEntryWriter::most_bytes(layout_, deployment_.limits));
    JournalEntryWriter writer(memory, {.stamp = {.slot = 5, .count = 8}, .owner = 77, .before = 64},
                              snapshot_, base);
    writer.add(updated_, payload_);
    writer.add(erased_, {});
    const auto entry = writer.finish();
    return {entry.begin(), entry.end()};
  }

  const Deployment deployment_ = deployment();
  const Layout layout_{deployment_, {.clients = 2}};
  const std::vector<std::uint32_t> snapshot_ = {0, 0, 3,     1000, 0, 7,         0,
                                                0, 0, 70000, 1,    0, 4000000000};
  const JournalRecord updated_{.key = 9,
                               .entry = 9,
                               .replaced = version_of({.slot = 2, .count = 3}, false),
                               .installs = 12,
                               .partition = 1,
                               .table = 1};
  const JournalRecord erased_{.key = 4,
                              .entry = 4,
                              .replaced = 0,
                              .installs = 1,
                              .partition = 0,
                              .table = 0,
                              .erased = true};
  const std::vector<std::byte> payload_ = [] {
    std::vector<std::byte> payload(200);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = std::byte(i);
    return payload;
  }();
};

TEST_F(JournalEntryTest, GivesBackWhatWasPutIn) {
  ASSERT_EQ(layout_.vector().slots(), kSlots);
  const auto memory = compose({});
  const auto entry = JournalEntry::parse(memory, layout_);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->header().bytes, memory.size());
  EXPECT_EQ(entry->header().stamp, (Stamp{.slot = 5, .count = 8}));
  EXPECT_EQ(entry->header().owner, 77U);
  EXPECT_EQ(entry->header().before, 64U);
  EXPECT_EQ(entry->snapshot({}, kSlots), snapshot_);
  ASSERT_EQ(entry->records().size(), 2U);
  const auto& [updated, payload] = entry->records()[0];
  EXPECT_EQ(updated.key, 9U);
  EXPECT_EQ(updated.replaced, updated_.replaced);
  EXPECT_EQ(updated.installs, 12U);
  EXPECT_EQ(updated.partition, 1U);
  EXPECT_EQ(updated.table, 1U);
  EXPECT_FALSE(updated.erased);
  EXPECT_TRUE(std::ranges::equal(payload, payload_));
  EXPECT_TRUE(entry->records()[1].record.erased);
  EXPECT_TRUE(entry->records()[1].payload.empty());
}

TEST_F(JournalEntryTest, TellsASnapshotByWhatItHasMoreThanTheOneBefore) {
  std::vector<std::uint32_t> base = snapshot_;
  base[3] = 1;
  base[12] = 0;
  const auto whole = compose({});
  const auto shorter = compose(base);
  EXPECT_LT(shorter.size(), whole.size());
  const auto entry = JournalEntry::parse(shorter, layout_);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->header().whole_snapshot, 0U);
  EXPECT_EQ(entry->snapshot(base, kSlots), snapshot_);
}

// As WRITEs are that a crash has cut off: some lines are there, others as they were before.
TEST_F(JournalEntryTest, IsNothingWhereALineIsOfAnotherEntry) {
  const auto memory = compose({});
  for (std::size_t line = 0; line < memory.size(); line += kCacheLineBytes) {
    for (const auto other : {std::byte{0}, std::byte{0xff}}) {
      auto torn = memory;
      const std::size_t bytes = std::min<std::size_t>(kCacheLineBytes, memory.size() - line);
      std::fill_n(torn.begin() + static_cast<std::ptrdiff_t>(line), bytes, other);
      EXPECT_FALSE(JournalEntry::parse(torn, layout_)) << "line " << line / kCacheLineBytes;
    }
  }
  EXPECT_FALSE(JournalEntry::parse(std::span(memory).first(memory.size() - 8), layout_));
  EXPECT_FALSE(JournalEntry::parse({}, layout_));
}

TEST_F(JournalEntryTest, HasRoomForWhatATransactionMayWrite) {
  std::vector<std::byte> memory(JournalEntryWriter::most_bytes(layout_, deployment_.limits));
  const std::vector<std::uint32_t> most(kSlots, UINT32_MAX);
  JournalEntryWriter writer(memory, {}, most, {});
  for (std::uint32_t i = 0; i < deployment_.limits.records; ++i) writer.add(updated_, payload_);
  EXPECT_LE(writer.finish().size(), memory.size());
}

// No two slots, and no two copies of one, share a ring.
TEST_F(JournalEntryTest, EachSlotHasRingsOfItsOwnAtDifferentServers) {
  const JournalLayout journals(layout_, 2, 1024, false);
  std::vector<std::pair<NodeId, std::uint64_t>> rings;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    EXPECT_NE(journals.ring(slot, 0).node, journals.ring(slot, 1).node);
    for (std::uint32_t copy = 0; copy < 2; ++copy) {
      const RemoteAddress ring = journals.ring(slot, copy);
      EXPECT_LE(ring.offset + 1024, journals.region_bytes());
      rings.emplace_back(ring.node, ring.offset);
    }
  }
  std::ranges::sort(rings);
  EXPECT_EQ(std::ranges::adjacent_find(rings), rings.end());
}

TEST_F(JournalEntryTest, ARingThatHoldsNoEntryIsRefused) {
  EXPECT_THROW(journal_ring_bytes(layout_, deployment_.limits, {.journal_bytes = 128}),
               ConfigurationError);
  EXPECT_GE(
      journal_ring_bytes(layout_, deployment_.limits, {}),
      JournalLayout::kHeadBytes + JournalEntryWriter::most_bytes(layout_, deployment_.limits));
}

}  // namespace
}  // namespace verbena::txn::nam
