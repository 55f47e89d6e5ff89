// Memory layout of a version of a record.
//
//   line 0     lock (8 B) | version (8 B) | installs (4 B) | unused (4 B) | key (8 B) | up to 32 B
//   line k>=1  tag: the version (8 B) | up to 56 B of payload
//
// The current version of a record is one such image, and so is each of the K old ones that are kept
// (NAM-DB paper, section 4.1). `installs` counts the versions that a record has had. Old version n
// lies in slot n % K. The count also tells which of two old versions is the later, which their
// commits, of different writers, cannot.
//
// A NIC writes an image by one WRITE, whose lines may take effect in any order, each at once. A
// reader takes an image if all tags equal its version: each line was then written by that version's
// writer, and not yet by the next. Nobody locks a record before all lines of its version are there:
// a writer has read the image whole, and the collector that gives up an erased record's entry knows
// that its version is published. So the WRITE that brings a version may also unlock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "rdma/seam/core.h"
#include "txn/nam/records/version.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

inline constexpr std::uint32_t kLockOffset = 0;
inline constexpr std::uint32_t kVersionOffset = 8;
inline constexpr std::uint32_t kInstallsOffset = 16;
inline constexpr std::uint32_t kKeyOffset = 24;
inline constexpr std::uint32_t kPayloadOffset = 32;

/// Header of an old version, read before it. Lies within a cache line.
struct OldHeader {
  std::uint64_t version = 0;
  std::uint32_t installs = 0;  ///< 0: there is none
  std::uint32_t line = 0;      ///< line in overflow, for a version there
  bool operator==(const OldHeader&) const = default;
};
static_assert(sizeof(OldHeader) == 16);

[[noreturn]] void refuse_installs(const RecordName& name);

/// Throws std::runtime_error for a record whose versions cannot be numbered any further.
/// `installs`: of its current version.
inline void check_installs(std::uint32_t installs, const RecordName& name) {
  if (installs == kMostInstalls) [[unlikely]]
    refuse_installs(name);
}

/// Pointer to a copy of an image, or to room for one.
class RecordImage {
 public:
  explicit RecordImage(std::byte* bytes) : bytes_(bytes) {}

  std::uint64_t lock() const { return word(kLockOffset); }
  std::uint64_t version() const { return word(kVersionOffset); }
  std::uint32_t installs() const { return static_cast<std::uint32_t>(word(kInstallsOffset)); }
  Key key() const { return word(kKeyOffset); }
  std::byte* bytes() const { return bytes_; }
  /// Unlocks the image, which must be a copy.
  void unlock() { std::memcpy(bytes_ + kLockOffset, bytes_ + kVersionOffset, 8); }

 private:
  std::uint64_t word(std::uint32_t offset) const {
    std::uint64_t value;
    std::memcpy(&value, bytes_ + offset, sizeof value);
    return value;
  }

  std::byte* bytes_;
};

/// Format of the images of one table's records.
class ImageFormat {
 public:
  explicit ImageFormat(std::uint32_t payload_bytes);

  std::uint32_t payload_bytes() const { return payload_bytes_; }
  /// Bytes from the lock to the end, a multiple of 8.
  std::uint32_t bytes() const { return bytes_; }
  /// Bytes between neighbouring images, a multiple of a cache line.
  std::uint32_t stride() const { return lines() * kCacheLineBytes; }
  std::uint32_t lines() const { return (bytes_ + kCacheLineBytes - 1) / kCacheLineBytes; }

  /// True if all lines are of one version and no CPU was writing them.
  bool whole(const RecordImage& image) const;

  /// Fills an unlocked image.
  void compose(RecordImage image, std::uint64_t version, std::uint32_t installs, Key key,
               const std::byte* payload) const;

  /// Writes an image by the CPU into an entry that nobody owns: everything else first, then the
  /// lock. NICs that read meanwhile fetch each line at once, and see the old lock, kGivenUp, or
  /// lines of different versions; cores see that lock, or the whole new image.
  void write_unused(std::byte* live, const RecordImage& image, std::uint64_t lock,
                    rdma::Core& core) const;

  /// Copies the payload out of an image.
  void extract(const RecordImage& image, std::byte* payload) const;

 private:
  template <typename Visit>
  void for_each_piece(Visit&& visit) const;

  std::uint32_t payload_bytes_;
  std::uint32_t bytes_;
};

}  // namespace verbena::txn::nam
