// A bucket of the hash table in registered memory: cluster chaining as in DrTM-KV.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "txn/schema/table.h"

namespace verbena::txn {

/// Eight slots {key, entry} in two cache lines, and a link to an indirect bucket for further keys.
/// One READ of kBytes fetches it. Each line carries the bucket's version, odd while the owner
/// changes the bucket. An image whose two versions are equal and even is the bucket as it was at
/// one time, because the owner makes both odd before any change, and even and higher after it, and
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

  /// True if an image is the bucket as it was at one time.
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

/// Number of main buckets for at most `capacity` keys, with `slots_percent` slots per 100 keys: a
/// power of two, or 0 without keys.
constexpr std::uint64_t main_buckets_for(std::uint64_t capacity, std::uint32_t slots_percent) {
  return capacity == 0 ? 0 : std::bit_ceil(capacity * slots_percent / 100 / Bucket::kSlots + 1);
}

/// Number of indirect buckets for as many keys: usually few main ones overflow, and a quarter is
/// plenty.
constexpr std::uint64_t indirect_buckets_for(std::uint64_t capacity) {
  return capacity == 0 ? 0 : capacity / 4 + 64;
}

}  // namespace verbena::txn
