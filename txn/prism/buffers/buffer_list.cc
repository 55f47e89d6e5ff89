// Sizes, places, and pages of buffers.
#include "txn/prism/buffers/buffer_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "rdma/base/cache_line.h"

namespace verbena::txn::prism {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

}  // namespace

std::uint64_t up_to_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Memory of the buffers that are used is all that is used.
std::uint32_t buffer_bytes_for(std::uint32_t object_bytes) {
  if (object_bytes > kPage) return static_cast<std::uint32_t>(up_to_pages(object_bytes));
  return std::max<std::uint32_t>(std::bit_ceil(object_bytes), kCacheLineBytes);
}

rdma::FreeListId list_for(std::vector<BufferList>& lists, std::uint32_t buffer_bytes) {
  const auto found = std::ranges::find(lists, buffer_bytes, &BufferList::buffer_bytes);
  const auto number = static_cast<rdma::FreeListId>(found - lists.begin());
  if (found == lists.end()) lists.push_back({.buffer_bytes = buffer_bytes});
  return number;
}

std::uint64_t place_lists(std::vector<BufferList>& lists, std::uint64_t spares, std::uint64_t end) {
  for (BufferList& list : lists) {
    list.spares = static_cast<std::uint32_t>(spares);
    list.first = end;
    end += up_to_pages(list.bytes());
  }
  return end;
}

std::vector<rdma::UnitArea> unit_areas(const std::vector<BufferList>& lists) {
  std::vector<rdma::UnitArea> areas = {{.begin = 0, .unit_bytes = kPage}};
  for (const BufferList& list : lists) {
    areas.push_back(
        {.begin = list.first, .unit_bytes = std::max<std::uint64_t>(list.buffer_bytes, kPage)});
  }
  return areas;
}

void BufferList::load(
    std::uint64_t offset, std::span<std::byte> page,
    const std::function<void(std::uint64_t buffer, std::span<std::byte> memory)>& object) const {
  std::uint64_t buffer = (offset - first) / buffer_bytes;
  if (buffer_bytes <= kPage) {
    for (std::size_t at = 0; at < page.size() && buffer < loaded; ++buffer) {
      object(buffer, page.subspan(at, buffer_bytes));
      at += buffer_bytes;
    }
  } else if (buffer < loaded) {
    std::vector<std::byte> whole(buffer_bytes);
    object(buffer, whole);
    const std::uint64_t part = (offset - first) % buffer_bytes;
    std::memcpy(page.data(), whole.data() + part, page.size());
  }
}

}  // namespace verbena::txn::prism
