// Where records and buckets lie.
#include "txn/store/store_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "txn/index/bucket.h"
#include "txn/store/record.h"

namespace verbena::txn {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

// Short records, some that straddle pages, and some longer than a page.
Schema schema() {
  Schema tables;
  for (const std::uint32_t payload_bytes : {8U, 100U, 600U, 1500U}) {
    tables.push_back({.name = "of " + std::to_string(payload_bytes) + " B",
                      .payload_bytes = payload_bytes,
                      .initial_records = 300,
                      .insert_capacity = 200});
  }
  return tables;
}

// Which unit an offset is of: where that begins, and where it ends.
struct Unit {
  std::uint64_t begin;
  std::uint64_t end;
};

Unit unit_of(const StoreLayout& layout, std::uint64_t offset) {
  const std::vector<rdma::UnitArea> areas = layout.unit_areas();
  const auto next = std::ranges::upper_bound(areas, offset, {}, &rdma::UnitArea::begin);
  const rdma::UnitArea& area = *(next - 1);
  const std::uint64_t begin =
      area.begin + (offset - area.begin) / area.unit_bytes * area.unit_bytes;
  const std::uint64_t limit = next == areas.end() ? layout.region_bytes() : next->begin;
  return {.begin = begin, .end = std::min(begin + area.unit_bytes, limit)};
}

TEST(StoreLayout, UnitsAreWholeCacheLinesInAreasOfWholePages) {
  const StoreLayout layout(schema(), {.nodes = 3, .replicas = 2});
  const std::vector<rdma::UnitArea> areas = layout.unit_areas();
  ASSERT_FALSE(areas.empty());
  EXPECT_EQ(areas.front().begin, 0U);
  EXPECT_TRUE(std::ranges::is_sorted(areas, {}, &rdma::UnitArea::begin));
  for (const rdma::UnitArea& area : areas) {
    EXPECT_EQ(area.begin % kPage, 0U);
    EXPECT_EQ(area.unit_bytes % kLineBytes, 0U);
    EXPECT_GT(area.unit_bytes, 0U);
  }
}

TEST(StoreLayout, EveryRecordAndEveryBucketIsInOneUnit) {
  const StoreLayout layout(schema(), {.nodes = 3, .replicas = 2});
  for (CopyId copy = 0; copy < 2; ++copy) {
    for (std::uint32_t number = 0; number < layout.tables(); ++number) {
      const auto id = static_cast<TableId>(number);
      const TableLayout& table = layout.table(id);
      for (std::uint32_t entry = 0; entry < table.entries; ++entry) {
        const std::uint64_t begin = layout.record_offset(copy, id, entry);
        EXPECT_LE(begin + table.format.stride(), unit_of(layout, begin).end)
            << table.name << ", entry " << entry;
      }
      for (std::uint64_t bucket = 0; bucket < table.buckets; ++bucket) {
        const std::uint64_t begin = layout.bucket_offset(copy, id, bucket);
        EXPECT_LE(begin + Bucket::kBytes, unit_of(layout, begin).end)
            << table.name << ", bucket " << bucket;
      }
    }
  }
}

// Else a record here and one there would cost as much memory as all between them.
TEST(StoreLayout, UnitsAreAsLongAsRecords) {
  const StoreLayout layout(schema(), {.nodes = 3, .replicas = 2});
  for (std::uint32_t number = 0; number < layout.tables(); ++number) {
    const auto id = static_cast<TableId>(number);
    const Unit unit = unit_of(layout, layout.record_offset(1, id, 77));
    const std::uint64_t stride = layout.table(id).format.stride();
    EXPECT_EQ(unit.end - unit.begin, std::max<std::uint64_t>(stride, kLineBytes));
  }
}

}  // namespace
}  // namespace verbena::txn
