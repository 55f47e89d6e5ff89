// Buffers of one size in a server's region.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rdma/chain/operation.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::txn::prism {

/// The buffers of a free list, one behind the other: loaded ones, spare ones, and a reserve for
/// keys to come.
struct BufferList {
  std::uint64_t first = 0;  ///< offset of the first buffer
  std::uint32_t buffer_bytes = 0;
  std::uint32_t loaded = 0;
  std::uint32_t spares = 0;
  std::uint32_t reserve = 0;

  std::uint32_t buffers() const { return loaded + spares + reserve; }
  std::uint64_t bytes() const { return std::uint64_t{buffer_bytes} * buffers(); }
  bool holds(std::uint64_t offset) const { return offset >= first && offset - first < bytes(); }
  /// True when a buffer begins at `offset`.
  bool begins(std::uint64_t offset) const {
    return holds(offset) && (offset - first) % buffer_bytes == 0;
  }
  std::uint64_t offset_of(std::uint64_t buffer) const { return first + buffer * buffer_bytes; }

  /// Fills a page that begins at `offset` of the region. `object` writes a loaded object into its
  /// buffer, given the buffer's number and its memory, which is zero.
  void load(
      std::uint64_t offset, std::span<std::byte> page,
      const std::function<void(std::uint64_t buffer, std::span<std::byte> memory)>& object) const;
};

/// Bytes of a buffer for such objects: buffers are whole pages, or several share one.
std::uint32_t buffer_bytes_for(std::uint32_t object_bytes);

/// Rounds `bytes` up to whole pages.
std::uint64_t up_to_pages(std::uint64_t bytes);

/// Returns the list of buffers of that size; adds it if there is none.
rdma::FreeListId list_for(std::vector<BufferList>& lists, std::uint32_t buffer_bytes);

/// Gives each list `spares`, and its place from `end` on. Returns the end of the last one.
std::uint64_t place_lists(std::vector<BufferList>& lists, std::uint64_t spares, std::uint64_t end);

/// Returns the units of a region with these lists behind other areas; see FirstTouchMemory.
std::vector<rdma::UnitArea> unit_areas(const std::vector<BufferList>& lists);

}  // namespace verbena::txn::prism
