// Layout of a record in registered memory, and the proof that a torn read is never taken for a
// consistent one.
//
//   line 0     lock (8 B) | version (8 B) | key (8 B) | up to 40 B of payload
//   line k>=1  line tag (8 B) | up to 56 B of payload
//
// A record of at most one cache line never straddles two (its stride is 32 or 64 B); a longer one
// begins at a line. The tag of every further line repeats the record's version. The lock word is 0
// when free, else names its owner (lock_word.h). By the key a reader notices that a stale or
// mistaken location led it to the wrong place, after erasing and reuse too. A version counts the
// changes of its entry and says if a record is there. The entry of an erased record continues to
// count when it is reused, so the same version means that nothing happened.
//
// Writers hold the lock and change things in this order:
//   NIC:  one WRITE of [version .. end), which carries the new version, tags and payload, then one
//         WRITE of the lock word on the same queue pair. Requests of one queue pair take effect in
//         order, so the unlock comes last. The lines of the first WRITE may take effect in any
//         order, each line at once.
//   CPU:  tags := kLineBusy, payload, tags := new version, version, and, last, lock := 0.
//
// Readers accept an image only if its lock is 0 and all tags equal its version. A NIC READ fetches
// the lines at different times and in any order, each line at once. Claim: an accepted image is the
// record as one commit left it.
//   Line 0 shows lock 0 and version V, so it was fetched when no one was writing, and between the
//   commits of V and of the version after V; its own payload is V's. Line k with tag V was fetched
//   after V's writer wrote it and before the next writer touched it: a NIC writer replaces tag and
//   payload at once, a CPU writer takes the tag away before it touches the payload and gives the
//   new one after. So its payload is V's too. (A single line needs no tag: the lock is in it.)
// A CPU reader of live memory copies word by word, so even a line is not one access for it. It
// brackets the copy: it sees version V and then lock 0 before, lock 0 and then version V after
// (acquire loads, copy, acquire fence, acquire load of the lock, load of the version). When the
// lock was free no one was writing, and the record was V's or, if V had been replaced, of a version
// that the last look shows. (The other way around the version may be that of a NIC writer whose
// payload is still on its way.) A writer whose change the copy saw held the lock at the second look
// or had advanced the version by then. So reads are consistent by themselves; validation only has
// to see that the version is still the same and the lock free or one's own, for which the first
// line is enough.
//
// One writer takes no lock: it gives an erased record's entry, which nobody can find, the key of
// the next record (write_absent). So an absent record may have the key of another one.
//
// This needs of the hardware that DMA of one aligned cache line is not torn, and that DMA is
// cache-coherent, as on x86 with any RNIC. Software RDMA that copies word by word in ascending
// order satisfies the argument as well for everything that is validated, since then line 0's lock
// is read before its payload.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "rdma/seam/core.h"
#include "txn/schema/table.h"

namespace verbena::txn {

inline constexpr std::uint32_t kLineBytes = kCacheLineBytes;
inline constexpr std::uint64_t kLineBusy = UINT64_MAX;
inline constexpr std::uint32_t kLockOffset = 0;
inline constexpr std::uint32_t kVersionOffset = 8;
inline constexpr std::uint32_t kKeyOffset = 16;
inline constexpr std::uint32_t kRecordHeaderBytes = 24;

/// Bytes of lock word and version, which show if a record has changed.
inline constexpr std::uint32_t kLockAndVersionBytes = 16;

/// Version of a record as the loader wrote it. 0 is an entry that never held a record.
inline constexpr std::uint64_t kInitialVersion = 1;

/// Set in the version of an entry that holds no record: it was erased, or is yet to be inserted.
inline constexpr std::uint64_t kAbsent = std::uint64_t{1} << 63;

/// True if an entry of this version holds no record.
constexpr bool absent(std::uint64_t version) { return version == 0 || (version & kAbsent) != 0; }

/// Number of changes of an entry; of two versions of an entry the one with more is the later one.
constexpr std::uint64_t change_count(std::uint64_t version) { return version & ~kAbsent; }

/// Returns the version that a change gives to an entry, which afterwards holds a record (`present`)
/// or none.
constexpr std::uint64_t next_version(std::uint64_t version, bool present) {
  return (change_count(version) + 1) | (present ? 0 : kAbsent);
}

/// Returns a word of memory that NICs and other threads access too.
inline std::atomic_ref<std::uint64_t> shared_word(std::byte* at) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(at));
}

/// Takes the lock of a live record by the CPU, for `owner`; returns false if it is not free.
inline bool try_lock(std::byte* live, std::uint64_t owner) {
  std::uint64_t expected = 0;
  return shared_word(live + kLockOffset)
      .compare_exchange_strong(expected, owner, std::memory_order_acq_rel);
}

/// Releases the lock of a live record, by the CPU, for `owner`, which must hold it.
inline void unlock(std::byte* live, std::uint64_t owner) {
  const std::atomic_ref<std::uint64_t> lock = shared_word(live + kLockOffset);
  assert(owner != 0 && lock.load(std::memory_order_relaxed) == owner);
  lock.store(0, std::memory_order_release);
}

[[noreturn]] void refuse_owner(std::uint64_t owner, std::uint64_t lock);

/// Throws Malformed unless `owner`, as a message names it, holds the lock.
inline void check_held(std::byte* live, std::uint64_t owner) {
  const std::uint64_t lock = shared_word(live + kLockOffset).load(std::memory_order_relaxed);
  if (owner == 0 || lock != owner) [[unlikely]]
    refuse_owner(owner, lock);
}

/// Releases the lock even if another owner holds it: for owners that ignore failed locks.
inline void unlock_whoever_holds(std::byte* live) {
  shared_word(live + kLockOffset).store(0, std::memory_order_release);
}

/// Loads a word of memory that nobody else changes.
inline std::uint64_t load_word(const std::byte* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
inline void store_word(std::byte* at, std::uint64_t word) { std::memcpy(at, &word, sizeof word); }

/// Bytes of the longest record, lock word included: one request writes it from a copy
/// (rdma::BufferPool::kLargest).
inline constexpr std::uint32_t kMostRecordBytes = 32768;

/// The layout of records of one table. An "image" is private memory with a record in the layout of
/// registered memory; "live" is the registered memory itself, 8 B aligned.
class RecordFormat {
 public:
  explicit RecordFormat(std::uint32_t payload_bytes);

  std::uint32_t payload_bytes() const { return payload_bytes_; }
  /// Length from the lock word to the end, a multiple of 8.
  std::uint32_t bytes() const { return bytes_; }
  /// Distance between neighbouring records: 32, 64 or a multiple of 64.
  std::uint32_t stride() const { return stride_; }
  std::uint32_t lines() const { return (bytes_ + kLineBytes - 1) / kLineBytes; }

  /// True if the lines of an image carry the same version, which is not kLineBusy. Says nothing of
  /// the lock.
  bool untorn(const std::byte* image) const;

  /// Copies the payload out of an image.
  void extract(const std::byte* image, std::byte* payload) const;

  /// Fills an image: lock 0, `version`, `key`, tags and payload.
  void compose(std::byte* image, std::uint64_t version, Key key, const std::byte* payload) const;

  enum class ReadStatus : std::uint8_t { kOk, kLocked, kChanging };

  // `core` is the one that accesses the live record; null where nothing else is running.

  /// Reads a live record consistently, by the CPU. Returns kLocked when it is locked, kChanging
  /// when it changed meanwhile. The outputs are meaningful only with kOk.
  ReadStatus read_live(std::byte* live, std::uint64_t& version, Key& key, std::byte* payload,
                       rdma::Core* core = nullptr) const;

  /// Reads a live record whose lock the caller holds.
  void read_locked(const std::byte* live, std::uint64_t& version, Key& key,
                   std::byte* payload) const;

  /// Writes payload and version by the CPU in the order above. The caller must hold the record's
  /// lock, and unlocks.
  void write_live(std::byte* live, std::uint64_t version, Key key, const std::byte* payload,
                  rdma::Core* core = nullptr) const;

  /// Writes key and version of an absent record by the CPU, in the same order; the payload stays.
  /// The caller ensures that nobody else writes the record.
  void write_absent(std::byte* live, std::uint64_t version, Key key,
                    rdma::Core* core = nullptr) const;

 private:
  void mark_lines(std::byte* live, std::uint64_t tag, std::memory_order order,
                  rdma::Core* core) const;

  template <typename Visit>
  void for_each_piece(Visit&& visit) const;

  std::uint32_t payload_bytes_;
  std::uint32_t bytes_;
  std::uint32_t stride_;
};

}  // namespace verbena::txn
