// Address space by mmap, pages filled by the loader when first touched.
#include "rdma/seam/first_touch_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

// Bytes that a memory takes of an arena at once.
constexpr std::size_t kChunkBytes = 64 << 10;

}  // namespace

FirstTouchMemory::FirstTouchMemory(std::string name, std::uint64_t bytes, PageLoader loader,
                                   PageArena* arena, std::vector<UnitArea> areas)
    : name_(std::move(name)),
      bytes_((bytes + kPageBytes - 1) / kPageBytes * kPageBytes),
      loader_(std::move(loader)),
      filled_words_((bytes_ / kPageBytes + 63) / 64),
      complete_(!loader_),
      arena_(arena),
      areas_(std::move(areas)) {
  if (bytes_ == 0 || arena_ == nullptr) areas_.clear();
  if (bytes_ == 0) return;
  if (in_units()) choose_granule();
  if (in_units()) complete_ = false;
  // At the addresses of units nothing lies.
  base_ = in_units() ? arena_->mappings().reserve(bytes_) : map(bytes_ + table_bytes());
  std::byte* table = base_;
  if (base_ != nullptr) table = in_units() ? map(table_bytes()) : base_ + bytes_;
  if (table == nullptr) {
    const int error = errno;
    if (base_ != nullptr) munmap(base_, bytes_);
    throw ConfigurationError("memory '" + name_ + "': cannot reserve " + std::to_string(bytes_) +
                             " bytes: " + std::strerror(error));
  }
  filled_ = reinterpret_cast<std::uint64_t*>(table);
}

// The largest power of two of which all units are multiples; they are made longer where the
// arena's least one asks for that, or numbers of granules would be too large.
void FirstTouchMemory::choose_granule() {
  std::uint64_t least = arena_->least_unit_bytes();
  while (bytes_ / least >= UINT32_MAX) least *= 2;
  std::uint64_t all = kPageBytes;
  for (UnitArea& area : areas_) {
    area.unit_bytes = std::lcm(area.unit_bytes, least);
    all |= area.begin | area.unit_bytes;
  }
  granule_bits_ = static_cast<unsigned>(std::countr_zero(all));
}

std::byte* FirstTouchMemory::map(std::size_t bytes) {
  return arena_ != nullptr ? arena_->mappings().take(bytes) : map_zeros(bytes);
}

void FirstTouchMemory::unmap(std::byte* mapping, std::size_t bytes) {
  if (arena_ != nullptr) {
    arena_->mappings().give_back(mapping, bytes);
  } else {
    munmap(mapping, bytes);
  }
}

FirstTouchMemory::~FirstTouchMemory() {
  for (const auto& [chunk, bytes] : chunks_) arena_->give_back(chunk, bytes);
  if (base_ == nullptr) return;
  if (in_units()) {
    munmap(base_, bytes_);
    unmap(reinterpret_cast<std::byte*>(filled_), table_bytes());
  } else {
    unmap(base_, bytes_ + table_bytes());
  }
}

FirstTouchMemory::Unit FirstTouchMemory::unit_of(std::uint64_t offset) const {
  const auto next = std::ranges::upper_bound(areas_, offset, {}, &UnitArea::begin);
  const UnitArea& area = *std::prev(next);
  const std::uint64_t area_end = next == areas_.end() ? bytes_ : next->begin;
  const std::uint64_t begin = offset - (offset - area.begin) % area.unit_bytes;
  return {begin, std::min(begin + area.unit_bytes, area_end)};
}

std::byte* FirstTouchMemory::room(std::size_t bytes) {
  if (room_bytes_ < bytes) {
    const std::size_t chunk = std::max(bytes, kChunkBytes);
    chunks_.emplace_back(arena_->take(chunk), chunk);
    room_ = chunks_.back().first;
    room_bytes_ = chunk;
  }
  room_bytes_ -= bytes;
  return std::exchange(room_, room_ + bytes);
}

std::uint32_t FirstTouchMemory::fill_unit(std::uint64_t offset) {
  const Unit unit = unit_of(offset);
  const std::span<std::byte> content(room(unit.end - unit.begin), unit.end - unit.begin);
  std::ranges::fill(content, std::byte{0});
  if (loader_) loader_(unit.begin, content);
  const std::uint64_t first =
      static_cast<std::uint64_t>(content.data() - arena_->base()) >> granule_bits_;
  const std::uint32_t granule = granule_of(unit.begin);
  const std::uint64_t granules = content.size() >> granule_bits_;
  if (first + granules >= UINT32_MAX) throw std::bad_alloc();
  for (std::uint32_t i = 0; i < granules; ++i) {
    places_.insert(granule + i, static_cast<std::uint32_t>(first) + i);
  }
  for (std::uint64_t page = unit.begin / kPageBytes; page * kPageBytes < unit.end; ++page) {
    note_filled(page);
  }
  return static_cast<std::uint32_t>(first) + granule_of(offset) - granule;
}

std::span<std::byte> FirstTouchMemory::piece(std::uint64_t offset, std::uint64_t length) {
  if (!in_units()) return {at(offset, length), length};
  const std::uint32_t granule = granule_of(offset);
  const std::uint32_t place = places_.find(granule);
  if (place == PlaceTable::kNone || granule_of(offset + length - 1) != granule) {
    return unit_piece(offset, length, place);
  }
  return {granule_memory(place, offset), length};
}

// For a unit that was not touched yet, or where more than one granule is asked for.
std::span<std::byte> FirstTouchMemory::unit_piece(std::uint64_t offset, std::uint64_t length,
                                                  std::uint32_t place) {
  if (place == PlaceTable::kNone) place = fill_unit(offset);
  if (length != 0 && granule_of(offset) != granule_of(offset + length - 1)) {
    length = std::min(length, unit_of(offset).end - offset);
  }
  return {granule_memory(place, offset), length};
}

void FirstTouchMemory::fill(std::uint64_t page) {
  const std::uint64_t offset = page * kPageBytes;
  // Where the loader writes nothing, as in room for inserts, the first access would be a read: the
  // operating system would map its page of zeros, and replace it at the write that mostly follows.
  base_[offset] = std::byte{0};
  loader_(offset, std::span<std::byte>(base_ + offset, kPageBytes));
  note_filled(page);
}

std::uint64_t FirstTouchMemory::next_filled(std::uint64_t page) const {
  const std::uint64_t pages = bytes_ / kPageBytes;
  if (complete_ || page >= pages) return std::min(page, pages);
  std::uint64_t word = page / 64;
  std::uint64_t bits = filled_[word] >> (page % 64) << (page % 64);
  while (bits == 0 && ++word < filled_words_) bits = filled_[word];
  return bits == 0 ? pages : word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

void FirstTouchMemory::fill_all(unsigned threads) {
  if (complete_) return;
  assert(!in_units());  // an arena is one thread's
  // One word of the bitmap, 64 pages, is the unit of work, so that no two threads share a word.
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t word = next++; word < filled_words_; word = next++) {
      const std::uint64_t end = std::min<std::uint64_t>((word + 1) * 64, bytes_ / kPageBytes);
      for (std::uint64_t page = word * 64; page < end; ++page) {
        if ((filled_[word] >> (page % 64) & 1U) == 0) fill(page);
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  complete_ = true;
}

}  // namespace verbena::rdma
