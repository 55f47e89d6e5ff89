// Memory of a node whose initial content is computed, page by page, when it is first touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rdma/seam/page_arena.h"
#include "rdma/seam/place_table.h"

namespace verbena::rdma {

/// Writes the initial content of `page`, which begins at `offset` of the memory; it is zeroed, and
/// has kPageBytes, or less at the end, or is a unit. Must depend on nothing but `offset`: pages are
/// filled in any order, on hardware in parallel.
using PageLoader = std::function<void(std::uint64_t offset, std::span<std::byte> page)>;

/// Area of memory that is used in units of `unit_bytes`, a multiple of a cache line, from `begin`,
/// a multiple of FirstTouchMemory::kPageBytes, to the next area; no access crosses units.
struct UnitArea {
  std::uint64_t begin;
  std::uint64_t unit_bytes;
};

/// A range of reserved address space that costs physical memory only where it was touched. It has
/// no huge pages, whatever the system gives by default; users that will fill it all may ask for
/// them. With an arena, the address space comes from its KeptMappings. With an arena and units,
/// nothing lies at the range's addresses: units lie in the arena, side by side in the order of
/// first touch, and only `at` and `piece` tell where. Each is filled as a whole, and costs its own
/// bytes and a few of a table. Then records that are used here and there share pages of the
/// operating system.
///
/// Its readers and writers, the NIC model and the store, first call `at` or `piece` for their
/// bytes. On hardware the NIC cannot, so `fill_all` is called before the memory is registered;
/// afterwards the check is one predictable branch. Not thread-safe before `fill_all` has returned
/// (in a simulation one thread at a time runs a node).
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
    if (in_units()) {
      unit_memory(offset);
      return;
    }
    const std::uint64_t first = offset / kPageBytes;
    const std::uint64_t last = (offset + (length == 0 ? 0 : length - 1)) / kPageBytes;
    for (std::uint64_t page = first; page <= last; ++page) {
      if ((filled_[page / 64] >> (page % 64) & 1U) == 0) fill(page);
    }
  }

  /// Touches the range, and returns the address of `offset`.
  std::byte* at(std::uint64_t offset, std::uint64_t length) {
    if (in_units()) return unit_memory(offset);
    touch(offset, length);
    return base_ + offset;
  }

  /// Touches and returns the first part of [offset, offset + length) that lies in one piece.
  std::span<std::byte> piece(std::uint64_t offset, std::uint64_t length);

  /// True if [offset, offset + 1) holds its content already.
  bool holds(std::uint64_t offset) const {
    if (!in_units()) return filled(offset / kPageBytes);
    return places_.find(granule_of(offset)) != PlaceTable::kNone;
  }

  /// True if something of `page` holds its content already. A page that was never touched does not.
  bool filled(std::uint64_t page) const {
    return complete_ || (filled_[page / 64] >> (page % 64) & 1U) != 0;
  }

  /// Returns the first page from `page` on for which `filled` is true; the number of pages if there
  /// is none.
  std::uint64_t next_filled(std::uint64_t page) const;

  /// Fills all pages that are not filled yet, by `threads` threads; not for memory in units.
  void fill_all(unsigned threads);

 private:
  struct Unit {
    std::uint64_t begin;
    std::uint64_t end;
  };

  std::byte* map(std::size_t bytes);
  void unmap(std::byte* mapping, std::size_t bytes);
  std::size_t table_bytes() const { return filled_words_ * sizeof(std::uint64_t); }
  void note_filled(std::uint64_t page) { filled_[page / 64] |= std::uint64_t{1} << (page % 64); }
  void fill(std::uint64_t page);

  bool in_units() const { return !areas_.empty(); }
  void choose_granule();
  std::uint32_t granule_of(std::uint64_t offset) const {
    return static_cast<std::uint32_t>(offset >> granule_bits_);
  }
  /// Address of `offset`, in a unit that holds its content.
  std::byte* unit_memory(std::uint64_t offset) {
    std::uint32_t place = places_.find(granule_of(offset));
    if (place == PlaceTable::kNone) [[unlikely]]
      place = fill_unit(offset);
    return granule_memory(place, offset);
  }
  /// Address of `offset`, whose granule has `place`.
  std::byte* granule_memory(std::uint32_t place, std::uint64_t offset) {
    const std::uint64_t within = offset & ((std::uint64_t{1} << granule_bits_) - 1);
    return arena_->base() + (std::uint64_t{place} << granule_bits_) + within;
  }
  std::span<std::byte> unit_piece(std::uint64_t offset, std::uint64_t length, std::uint32_t place);
  Unit unit_of(std::uint64_t offset) const;
  std::byte* room(std::size_t bytes);
  std::uint32_t fill_unit(std::uint64_t offset);

  std::string name_;
  std::uint64_t bytes_;
  PageLoader loader_;
  std::byte* base_ = nullptr;
  std::uint64_t filled_words_;
  // One bit per page: behind the bytes in the same mapping, or with units in one of its own.
  std::uint64_t* filled_ = nullptr;
  bool complete_;  // no loader and no units, or fill_all is done

  PageArena* arena_;
  std::vector<UnitArea> areas_;  // empty: not in units
  // With units: each is so many granules of 2^granule_bits_ bytes, whose places count granules from
  // the arena's base on.
  unsigned granule_bits_ = 0;
  PlaceTable places_;
  std::byte* room_ = nullptr;  // rest of the last chunk
  std::size_t room_bytes_ = 0;
  std::vector<std::pair<std::byte*, std::size_t>> chunks_;
};

}  // namespace verbena::rdma
