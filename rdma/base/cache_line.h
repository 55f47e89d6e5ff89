// Cache lines: the pieces that a processor's caches hold and move at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace verbena {

/// Size of a cache line of every processor that verbena runs on and simulates.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Number of lines that `bytes` fill, the last one perhaps in part.
constexpr std::uint32_t cache_lines(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kCacheLineBytes - 1) / kCacheLineBytes);
}

}  // namespace verbena
