// Memory of a node whose initial content is computed, page by page, when it is first touched.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rdma/seam/page_arena.h"

namespace verbena::rdma {

/// Writes the initial content of `page`, which begins at `offset` of the memory; it is zeroed, and
/// has kPageBytes, or less at the end. Must depend on nothing but `offset`: pages are filled in any
/// order, on hardware in parallel.
using PageLoader = std::function<void(std::uint64_t offset, std::span<std::byte> page)>;

/// Area of memory that is used in units of `unit_bytes`, from `begin` to the next area; no access
/// crosses units. Both are multiples of FirstTouchMemory::kPageBytes.
struct UnitArea {
  std::uint64_t begin;
  std::uint64_t unit_bytes;
};

/// A range of reserved address space that costs physical memory only where it was touched. It has
/// no huge pages, whatever the system gives by default; users that will fill it all may ask for
/// them. With an arena, the address space comes from its KeptMappings. With an arena and units,
/// nothing lies at the range's addresses: units lie in the arena, side by side in the order of
/// first touch, and only `at` and `piece` tell where. Then records that are used here and there
/// share pages of the operating system.
///
/// Its readers and writers, the NIC model and the store, first call `at` or `piece` for their
/// bytes. On hardware the NIC cannot, so `fill_all` is called before the memory is registered;
/// afterwards the check is one predictable branch. Not thread-safe before `fill_all` has returned
/// (in a simulation one thread runs everything).
class FirstTouchMemory {
 public:
  /// The unit of filling. Smaller than the operating system's page, so that touching one record
  /// does not compose a hundred others.
  static constexpr std::size_t kPageBytes = 512;

  /// Reserves `bytes` (rounded up to pages; zero is allowed). Without `loader` pages are zero.
  /// `name` is for errors. `arena` must outlive it; `areas`, in ascending order from 0 on, describe
  /// memory in units.
  FirstTouchMemory(std::string name, std::uint64_t bytes, PageLoader loader,
                   PageArena* arena = nullptr, std::vector<UnitArea> areas = {});
  ~FirstTouchMemory();
  FirstTouchMemory(const FirstTouchMemory&) = delete;
  FirstTouchMemory& operator=(const FirstTouchMemory&) = delete;

  std::uint64_t size() const { return bytes_; }
  std::byte* base() const { return base_; }

  /// Ensures that [offset, offset + length) holds its initial content or what was written since.
  /// The range must be inside the memory, and inside one unit.
  void touch(std::uint64_t offset, std::uint64_t length) {
    if (complete_) return;
    const std::uint64_t first = offset / kPageBytes;
    const std::uint64_t last = (offset + (length == 0 ? 0 : length - 1)) / kPageBytes;
    for (std::uint64_t page = first; page <= last; ++page) {
      if ((filled_[page / 64] >> (page % 64) & 1U) == 0) fill(page);
    }
  }

  /// Touches the range, and returns the address of `offset`.
  std::byte* at(std::uint64_t offset, std::uint64_t length) {
    touch(offset, length);
    assert(length == 0 || address(offset + length - 1) == address(offset) + length - 1);
    return address(offset);
  }

  /// Touches and returns the first part of [offset, offset + length) that lies in one piece.
  std::span<std::byte> piece(std::uint64_t offset, std::uint64_t length);

  /// True if `page` holds its content already. A page that was never touched does not.
  bool filled(std::uint64_t page) const {
    return complete_ || (filled_[page / 64] >> (page % 64) & 1U) != 0;
  }

  /// Returns the first page from `page` on that holds its content already; the number of pages if
  /// there is none.
  std::uint64_t next_filled(std::uint64_t page) const;

  /// Fills all pages that are not filled yet, by `threads` threads; not for memory in units.
  void fill_all(unsigned threads);

 private:
  std::byte* map(std::size_t bytes);
  void unmap(std::byte* mapping, std::size_t bytes);
  std::size_t table_bytes() const;
  std::byte* address(std::uint64_t offset) const {
    if (places_ == nullptr) return base_ + offset;
    return arena_->base() + std::size_t{places_[offset / kPageBytes]} * kPageBytes +
           offset % kPageBytes;
  }
  struct Unit {
    std::uint64_t begin;
    std::uint64_t end;
  };
  Unit unit_of(std::uint64_t offset) const;
  void place(std::uint64_t page);
  std::byte* room(std::size_t bytes);
  void fill(std::uint64_t page);
  void load(std::uint64_t page);

  std::string name_;
  std::uint64_t bytes_;
  PageLoader loader_;
  std::byte* base_ = nullptr;
  std::uint64_t filled_words_;
  // One bit per page: behind the bytes in the same mapping, or with units in one of its own.
  std::uint64_t* filled_ = nullptr;
  bool complete_;  // no loader and no units, or fill_all is done

  PageArena* arena_;
  std::vector<UnitArea> areas_;
  // With units: place of each page in the arena, in pages, behind the bits; 0: none yet.
  std::uint32_t* places_ = nullptr;
  std::byte* room_ = nullptr;  // rest of the last chunk
  std::size_t room_bytes_ = 0;
  std::vector<std::pair<std::byte*, std::size_t>> chunks_;
};

}  // namespace verbena::rdma
