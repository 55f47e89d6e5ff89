// How slots and the objects behind them lie in a server's memory.
#pragma once

#include <cstdint>

#include "txn/key_shape.h"

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

}  // namespace verbena::txn::prism
