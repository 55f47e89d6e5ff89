// Iteration over a table's records that may have changed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rdma/seam/first_touch_memory.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Calls visit(entry) for each entry in [from, until) on a touched page of `memory`, the memory
/// server's; entries on other pages are as loaded. Only table and partition of `name` count.
template <typename Visit>
void for_each_touched(const Layout& layout, const rdma::FirstTouchMemory& memory,
                      const RecordName& name, std::uint64_t from, std::uint64_t until,
                      Visit&& visit) {
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  const std::uint64_t stride = layout.table(name.table).format.stride();
  const std::uint64_t area = layout.current(name, 0).offset;
  const std::uint64_t end = area + until * stride;
  std::uint64_t entry = from;
  for (std::uint64_t page = memory.next_filled((area + from * stride) / kPage); page * kPage < end;
       page = memory.next_filled(page + 1)) {
    const std::uint64_t page_end = std::min(end, (page + 1) * kPage) - area;
    entry = std::max(entry, (std::max(area, page * kPage) - area) / stride);
    for (; entry * stride < page_end; ++entry) visit(entry);
  }
}

}  // namespace verbena::txn::nam
