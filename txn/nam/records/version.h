// First two words of each record: its lock word and its version.
#pragma once

#include <cstdint>

#include "txn/stamp.h"

namespace verbena::txn::nam {

/// A version has, from the highest bit: its writer's slot (29 bits), the commit's number among that
/// writer's (32), and three flags (NAM-DB paper, section 4.1). An unlocked record's lock word
/// equals its version; a locked record's one names the lock's owner.
inline constexpr std::uint64_t kLocked = 1;
/// Flag of a version in which the record does not exist.
inline constexpr std::uint64_t kDeleted = 2;
/// Flag in an old version's header: overflow has a copy, so the version's place may be reused.
inline constexpr std::uint64_t kMoved = 4;

inline constexpr unsigned kCountShift = 3;
inline constexpr unsigned kSlotShift = kCountShift + 32;
inline constexpr std::uint32_t kMostSlots = 1U << (64 - kSlotShift);
inline constexpr std::uint32_t kMostCount = UINT32_MAX;

/// Version of loaded records, visible to all.
inline constexpr std::uint64_t kInitialVersion = 0;
/// Version of a record before its first insertion, visible to all, too.
inline constexpr std::uint64_t kNeverThere = kInitialVersion | kDeleted;
/// Number of a record's first version, either of these two.
inline constexpr std::uint32_t kFirstInstall = 1;
inline constexpr std::uint32_t kMostInstalls = UINT32_MAX;

constexpr std::uint64_t version_of(const Stamp& stamp, bool deleted) {
  return std::uint64_t{stamp.slot} << kSlotShift | std::uint64_t{stamp.count} << kCountShift |
         (deleted ? kDeleted : 0);
}

constexpr Stamp stamp_of(std::uint64_t version) {
  return {.slot = static_cast<std::uint32_t>(version >> kSlotShift),
          .count = static_cast<std::uint32_t>(version >> kCountShift)};
}

constexpr bool deleted(std::uint64_t version) { return (version & kDeleted) != 0; }
constexpr bool moved(std::uint64_t version) { return (version & kMoved) != 0; }
/// Version without the flag kMoved.
constexpr std::uint64_t without_moved(std::uint64_t version) { return version & ~kMoved; }

/// Lock word of the writer with this slot; `attempt` tells its attempts apart.
constexpr std::uint64_t lock_word(std::uint32_t slot, std::uint32_t attempt) {
  return std::uint64_t{slot} << kSlotShift | std::uint64_t{attempt} << kCountShift | kLocked;
}

/// Flag in a lock word: the record's own CPU is writing the record (live_memory.h).
inline constexpr std::uint64_t kChanging = 4;

constexpr bool changing(std::uint64_t word) { return (word & kChanging) != 0; }

/// Lock word while the record's own CPU is writing the record.
constexpr std::uint64_t changing_lock(std::uint64_t word) { return word | kLocked | kChanging; }

/// Lock word of an erased record whose entry was given up, until another key gets the entry.
inline constexpr std::uint64_t kGivenUp = lock_word(0, 1);

constexpr bool locked(std::uint64_t word) { return (word & kLocked) != 0; }

}  // namespace verbena::txn::nam
