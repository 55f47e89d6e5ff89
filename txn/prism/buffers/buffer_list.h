// Buffers of one size in a server's region.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rdma/chain/operation.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::txn::prism {

/// The buffers of a free list, one behind the other: with what was loaded, spare, and for keys to
/// come.
struct BufferList {
  std::uint64_t first = 0;  ///< offset
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

  /// Fills a page that begins at `offset` of the region: `object` writes what was loaded into a
  /// buffer, given its number and its memory, which is zero.
  void load(
      std::uint64_t offset, std::span<std::byte> page,
      const std::function<void(std::uint64_t buffer, std::span<std::byte> memory)>& object) const;
};

/// Bytes of the buffers of such objects: whole pages, or several in one.
std::uint32_t buffer_bytes_for(std::uint32_t object_bytes);

/// Whole pages.
std::uint64_t up_to_pages(std::uint64_t bytes);

/// The list of buffers of that size, which is added if there is none.
rdma::FreeListId list_for(std::vector<BufferList>& lists, std::uint32_t buffer_bytes);

/// Gives each list `spares`, and its place from `end` on. Returns where the last one ends.
std::uint64_t place_lists(std::vector<BufferList>& lists, std::uint64_t spares, std::uint64_t end);

/// Units of a region with these lists behind other areas, see FirstTouchMemory.
std::vector<rdma::UnitArea> unit_areas(const std::vector<BufferList>& lists);

}  // namespace verbena::txn::prism
