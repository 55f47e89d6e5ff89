// Reserved address space that outlives its users, with the physical memory behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>

namespace verbena::rdma {

/// Ranges of zeroed address space that cost physical memory only where they were touched, without
/// huge pages. A range that is given back keeps its physical pages, and is cleared when it is taken
/// again, which costs less than a new mapping by the operating system. Not thread-safe.
class KeptMappings {
 public:
  /// Keeps at most `most_bytes` of unused physical memory; beyond that, ranges are released in the
  /// order of their return. 0 keeps nothing.
  explicit KeptMappings(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  ~KeptMappings() { release_all(); }
  KeptMappings(const KeptMappings&) = delete;
  KeptMappings& operator=(const KeptMappings&) = delete;

  /// Takes `bytes` of zeros, aligned to pages of the operating system. Returns null, with errno,
  /// when there is no such address space.
  std::byte* take(std::size_t bytes);

  /// Gives back what was taken as `bytes`. Unmaps it at once if it is so large that looking for its
  /// pages would take longer than mapping them, or if the operating system does not tell of them.
  void give_back(std::byte* mapping, std::size_t bytes) noexcept;

  /// Reserves `bytes` of addresses that hold no memory and never will; freed by munmap. Returns
  /// null, with errno, when there are no more.
  std::byte* reserve(std::size_t bytes);

  /// Physical memory that is kept for the next user: pages that were written or read.
  std::uint64_t touched_bytes() const { return touched_bytes_; }

 private:
  struct Mapping {
    std::byte* base;
    std::size_t bytes;
    std::uint64_t touched_bytes;
  };

  std::byte* map(std::size_t bytes, int protection);
  void release(std::list<Mapping>::iterator mapping);
  void release_all();

  std::uint64_t most_bytes_;
  std::list<Mapping> kept_;  // in the order of their return
  std::uint64_t touched_bytes_ = 0;
};

/// Maps anonymous zeros, without huge pages, and without memory until touched; freed by munmap.
/// Returns null, with errno, when there is no such address space.
std::byte* map_zeros(std::size_t bytes);

}  // namespace verbena::rdma
