// Layout of PRISM-TX's slots in a server's memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "txn/prism/object.h"
#include "txn/prism_tx/records/timestamp.h"

namespace verbena::txn::prism_tx {

/// A key's timestamps, and the way to its object (PRISM paper, section 8.2, figure 8): PW, PR and C
/// of the paper. The writer's comes first, so that it is the more significant word where both are
/// compared. An object begins with its writer's timestamp, which is at most `committed`, which is
/// at most `written`.
struct Slot {
  Timestamp written = 0;  ///< PW: the latest transaction that may write the key, or has
  Timestamp read = 0;     ///< PR: the latest that may have read it, or has
  /// C: all transactions up to this one have been decided. 0: no key has the slot yet.
  Timestamp committed = 0;
  std::uint64_t pointer = 0;  ///< offset of the object in the region
};
static_assert(sizeof(Slot) == prism::kSlotBytes && offsetof(Slot, written) == 0);

/// Slots in the layout of Slot; those without a key lead to an object of no key.
inline constexpr prism::SlotFormat kTimestampedSlots = {
    .loaded = [](std::uint64_t pointer, std::uint64_t) -> prism::SlotWords {
      return std::bit_cast<prism::SlotWords>(
          Slot{.written = kLoadedAt, .committed = kLoadedAt, .pointer = pointer});
    },
    .unused = [](std::uint64_t nobody) -> prism::SlotWords {
      return std::bit_cast<prism::SlotWords>(Slot{.pointer = nobody});
    }};

}  // namespace verbena::txn::prism_tx
