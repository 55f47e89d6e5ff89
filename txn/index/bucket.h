// A bucket of the hash table as it lies in registered memory: cluster chaining as in DrTM-KV.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "txn/schema/table.h"

namespace verbena::txn {

/// Eight slots {key, entry} in two cache lines, and a link to an indirect bucket for what does not
/// fit. One READ of kBytes fetches it. Each line carries the bucket's version, odd while the owner
/// changes the bucket: an image whose two versions are equal and even is the bucket as it was at
/// one time, because the owner makes both odd before and even, and higher, after any change, and
/// each line is fetched at once.
struct Bucket {
  static constexpr unsigned kSlots = 8;
  static constexpr unsigned kSlotsPerLine = 4;
  static constexpr std::uint32_t kBytes = 128;

  struct alignas(64) Line {
    std::uint64_t version;
    std::array<Key, kSlotsPerLine> keys;
    std::array<std::uint32_t, kSlotsPerLine> entries;  // entry number + 1; 0: the slot is free
    std::uint32_t link;  // of the first line: number of an indirect bucket + 1; 0: none
    std::uint32_t reserved;
  };
  std::array<Line, 2> lines;

  /// For an image: whether it is the bucket as it was at one time.
  bool untorn() const { return lines[0].version == lines[1].version && lines[0].version % 2 == 0; }

  Key key(unsigned slot) const { return lines[slot / kSlotsPerLine].keys[slot % kSlotsPerLine]; }

  /// Entry number in `slot`, if it is in use.
  std::optional<std::uint32_t> entry(unsigned slot) const {
    const std::uint32_t stored = lines[slot / kSlotsPerLine].entries[slot % kSlotsPerLine];
    if (stored == 0) return std::nullopt;
    return stored - 1;
  }

  /// Entry number of `key`, if this bucket holds it.
  std::optional<std::uint32_t> find(Key wanted) const {
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (key(slot) == wanted) {
        if (const auto found = entry(slot)) return found;
      }
    }
    return std::nullopt;
  }

  /// Number of the indirect bucket that continues this one, if any.
  std::optional<std::uint32_t> next() const {
    if (lines[0].link == 0) return std::nullopt;
    return lines[0].link - 1;
  }

  void set(unsigned slot, Key key, std::uint32_t entry) {
    lines[slot / kSlotsPerLine].keys[slot % kSlotsPerLine] = key;
    lines[slot / kSlotsPerLine].entries[slot % kSlotsPerLine] = entry + 1;
  }
};
static_assert(sizeof(Bucket::Line) == 64 && sizeof(Bucket) == Bucket::kBytes);

/// Main buckets for `capacity` keys that may come, with so many slots for each 100 of them; a power
/// of two, perhaps none.
constexpr std::uint64_t main_buckets_for(std::uint64_t capacity, std::uint32_t slots_percent) {
  return capacity == 0 ? 0 : std::bit_ceil(capacity * slots_percent / 100 / Bucket::kSlots + 1);
}

/// Indirect buckets for as many: usually few main ones overflow, and a quarter is plenty.
constexpr std::uint64_t indirect_buckets_for(std::uint64_t capacity) {
  return capacity == 0 ? 0 : capacity / 4 + 64;
}

}  // namespace verbena::txn
