// Layout of slots and of the objects behind them in a server's memory.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "txn/schema/key_shape.h"

namespace verbena::txn::prism {

/// The way to an object: a pointer, its bound (PRISM paper, section 3.1), and a version, by
/// which a compare-and-swap that asks for a greater one replaces all three unless somebody has
/// meanwhile. Buffers are used again, so that addresses alone would not tell. All zero: never used.
struct Slot {
  std::uint64_t pointer = 0;  ///< offset of the object in the region
  std::uint64_t bytes = 0;    ///< of the object
  std::uint64_t version = 0;  ///< of the object
  std::uint64_t spare = 0;
};
inline constexpr std::uint32_t kSlotBytes = sizeof(Slot);

/// A slot as it lies in memory.
using SlotWords = std::array<std::uint64_t, kSlotBytes / sizeof(std::uint64_t)>;

/// How slots begin, in a system's own layout of their words.
struct SlotFormat {
  /// The slot of an object of `bytes` that was loaded, at offset `pointer` of the region.
  SlotWords (*loaded)(std::uint64_t pointer, std::uint64_t bytes);
  /// A slot that no key has yet; at offset `nobody` lies an object of kNoKey, without value.
  SlotWords (*unused)(std::uint64_t nobody);
};

/// Begins an object; behind it comes the value. Objects never change, but for being replaced.
struct ObjectHeader {
  std::uint64_t version = 0;
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;  ///< kAbsent: the key has none
  Key key = 0;
};
inline constexpr std::uint32_t kObjectHeaderBytes = sizeof(ObjectHeader);

/// Length of the value of a key that was erased.
inline constexpr std::uint32_t kAbsent = UINT32_MAX;

/// Version of the objects that a run begins with.
inline constexpr std::uint64_t kLoadedVersion = 1;

/// Slots as Slot has them; those that no key has are zero.
inline constexpr SlotFormat kBoundedSlots = {
    .loaded = [](std::uint64_t pointer, std::uint64_t bytes) -> SlotWords {
      return std::bit_cast<SlotWords>(
          Slot{.pointer = pointer, .bytes = bytes, .version = kLoadedVersion});
    },
    .unused = [](std::uint64_t) -> SlotWords { return {}; }};

}  // namespace verbena::txn::prism
