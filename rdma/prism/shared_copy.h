// Copies of memory that other cores may change meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rdma/base/cache_line.h"

namespace verbena::rdma {

/// Copies `bytes` within one cache line from memory that other cores may change. Whole words of it
/// are loaded in one piece each, in ascending order.
void copy_from_shared(std::byte* to, const std::byte* shared, std::size_t bytes);

/// Copies likewise, to memory that other cores may read.
void copy_to_shared(std::byte* shared, const std::byte* from, std::size_t bytes);

/// Calls visit(offset, offset within the range, bytes) for the part of [offset, offset + bytes) in
/// each cache line.
template <typename Visit>
void for_each_line(std::uint64_t offset, std::size_t bytes, Visit&& visit) {
  for (std::size_t done = 0; done < bytes;) {
    const std::uint64_t at = offset + done;
    const std::size_t part =
        std::min<std::size_t>(bytes - done, kCacheLineBytes - at % kCacheLineBytes);
    visit(at, done, part);
    done += part;
  }
}

}  // namespace verbena::rdma
