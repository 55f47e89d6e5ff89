// Layout of slots and of the objects behind them in a server's memory.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "txn/schema/key_shape.h"

namespace verbena::txn::prism {

/// The way to an object: a pointer, its bound (PRISM paper, section 3.1), and a version. A
/// compare-and-swap that asks for a greater version replaces all three, unless another one did
/// meanwhile; addresses alone would not tell, since buffers are used again. All zero: never used.
struct Slot {
  std::uint64_t pointer = 0;  ///< offset of the object in the region
  std::uint64_t bytes = 0;    ///< of the object
  std::uint64_t version = 0;  ///< of the object
  std::uint64_t spare = 0;
};
inline constexpr std::uint32_t kSlotBytes = sizeof(Slot);

/// Words of a slot in memory.
using SlotWords = std::array<std::uint64_t, kSlotBytes / sizeof(std::uint64_t)>;

/// Initial slots in a system's own layout of their words.
struct SlotFormat {
  /// Returns the slot of a loaded object of `bytes`, at offset `pointer` of the region.
  SlotWords (*loaded)(std::uint64_t pointer, std::uint64_t bytes);
  /// Returns a slot that no key has yet; an object of kNoKey, without value, lies at offset
  /// `nobody`.
  SlotWords (*unused)(std::uint64_t nobody);
};

/// Begins an object; the value follows. Objects never change; they are only replaced.
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

/// Slots in the layout of Slot; those without a key are zero.
inline constexpr SlotFormat kBoundedSlots = {
    .loaded = [](std::uint64_t pointer, std::uint64_t bytes) -> SlotWords {
      return std::bit_cast<SlotWords>(
          Slot{.pointer = pointer, .bytes = bytes, .version = kLoadedVersion});
    },
    .unused = [](std::uint64_t) -> SlotWords { return {}; }};

}  // namespace verbena::txn::prism
