// Reserved address space that outlives its users, with the physical memory behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>

namespace verbena::rdma {

/// Ranges of zeroed address space that cost physical memory only where they were touched, and there
/// no huge pages. What is given back keeps its pages, and where it has some it is cleared when it
/// is taken again, which costs less than to have them mapped by the operating system. Not
/// thread-safe.
class KeptMappings {
 public:
  /// Keeps at most `most_bytes` of physical memory that nobody uses; beyond that what was given
  /// back first goes. 0 keeps nothing.
  explicit KeptMappings(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  ~KeptMappings() { release_all(); }
  KeptMappings(const KeptMappings&) = delete;
  KeptMappings& operator=(const KeptMappings&) = delete;

  /// `bytes` of zeros at a page of the operating system. Null, and errno, where there is no such
  /// address space.
  std::byte* take(std::size_t bytes);

  /// Gives back what was taken as `bytes`. It is unmapped at once if it is so large that looking
  /// for its pages would take longer than mapping them, or if the operating system does not tell of
  /// them.
  void give_back(std::byte* mapping, std::size_t bytes) noexcept;

  /// `bytes` of addresses at which nothing lies, nor may lie: for munmap. Null, and errno, where
  /// there are no more.
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
  std::list<Mapping> kept_;  // the one that was given back last is the last
  std::uint64_t touched_bytes_ = 0;
};

/// Anonymous, zero, without huge pages, and without memory until it is touched; null, and errno,
/// where there is no such address space. For munmap.
std::byte* map_zeros(std::size_t bytes);

}  // namespace verbena::rdma
