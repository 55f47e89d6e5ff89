// Looking at a store without changing it, not even by touching what was not touched before.
#include <algorithm>

#include "txn/store/store.h"

namespace verbena::txn {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

}  // namespace

bool Store::touched(CopyId copy, TableId table, std::uint32_t entry) const {
  return memory_.holds(layout_.record_offset(copy, table, entry));
}

std::uint64_t Store::next_touched(CopyId copy, TableId table, std::uint64_t entry) const {
  const std::uint64_t used = used_entries(copy, table);
  const std::uint64_t stride = layout_.table(table).format.stride();
  const std::uint64_t area = layout_.record_offset(copy, table, 0);
  while (entry < used && !touched(copy, table, static_cast<std::uint32_t>(entry))) {
    const std::uint64_t page = memory_.next_filled((area + entry * stride) / kPage);
    // The record in which that page begins may end before it.
    entry = std::max(entry + 1, (page * kPage - area) / stride);
  }
  return std::min(entry, used);
}

std::uint64_t Store::used_entries(CopyId copy, TableId table) const {
  const std::uint64_t next = state(copy, table).next_entry.load(std::memory_order_relaxed);
  return std::min(next, layout_.table(table).entries);
}

std::uint64_t Store::next_touched_bucket(CopyId copy, TableId table, std::uint64_t bucket) const {
  const std::uint64_t area = layout_.bucket_offset(copy, table, 0);
  const std::uint64_t page = memory_.next_filled((area + bucket * Bucket::kBytes) / kPage);
  const std::uint64_t first = (page * kPage - area) / Bucket::kBytes;
  return std::min(std::max(bucket, first), layout_.table(table).buckets);
}

bool Store::list_bucket(CopyId copy, TableId table, std::uint64_t main_bucket,
                        std::vector<OrderedIndex::Item>& items) {
  return state(copy, table).hash->list(main_bucket, items);
}

}  // namespace verbena::txn
