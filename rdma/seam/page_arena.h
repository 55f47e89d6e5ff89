// Memory in pieces, for data that would otherwise lie scattered over many pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/seam/kept_mappings.h"

namespace verbena::rdma {

/// A range of reserved address space, on huge pages, that is handed out in pieces from its base on.
/// Physical memory follows use and stays until the end. Pieces are reused without the operating
/// system, whose mapping and clearing of pages costs a simulation more than what it simulates.
/// Nodes may take pieces and give them back at once, on different threads; all else is for one
/// thread.
class PageArena {
 public:
  /// Alignment of pieces, in bytes; each such block belongs to one piece alone.
  static constexpr std::size_t kGrain = 1024;

  /// Reserves an arena: 256 GiB, or what there is from 16 GiB up; null where the operating system
  /// refuses that, and memory has to lie at its own addresses. Keeps `kept_bytes` of physical
  /// memory in unused mappings; none by default, which suits an arena of one simulation.
  static std::unique_ptr<PageArena> reserve(std::uint64_t kept_bytes = 0);

  /// Takes over the `reserved` bytes that reserve() has mapped.
  PageArena(std::byte* base, std::size_t reserved, std::uint64_t kept_bytes)
      : base_(base), reserved_(reserved), mappings_(kept_bytes) {}
  ~PageArena();
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;

  /// Takes a piece of at least `bytes`, at a multiple of kGrain, of undefined content. Throws
  /// std::bad_alloc when the address space is used up.
  std::byte* take(std::size_t bytes);

  /// Gives back a piece that was taken as `bytes`.
  void give_back(std::byte* piece, std::size_t bytes);

  std::byte* base() const { return base_; }

  /// Length of which all units of memories that are made from now on are multiples: a power of two
  /// from a cache line to FirstTouchMemory::kPageBytes.
  std::size_t least_unit_bytes() const { return least_unit_bytes_; }
  void set_least_unit_bytes(std::size_t bytes) { least_unit_bytes_ = bytes; }

  /// Bytes of the pieces that are taken, without what was given back.
  std::uint64_t bytes_in_use() const { return bytes_in_use_; }

  /// Mappings for memory that cannot lie in pieces; they live as long as the arena.
  KeptMappings& mappings() { return mappings_; }

 private:
  std::byte* base_;
  std::size_t reserved_;
  std::mutex mutex_;           // guards what follows
  std::size_t used_ = kGrain;  // bytes handed out, from the base on; the first ones are never used
  std::uint64_t bytes_in_use_ = 0;
  std::size_t least_unit_bytes_ = kCacheLineBytes;
  std::map<std::size_t, std::vector<std::byte*>> free_;  // by size
  KeptMappings mappings_;
};

}  // namespace verbena::rdma
