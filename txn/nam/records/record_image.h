// How a version of a record lies in memory.
//
//   line 0     lock (8 B) | version (8 B) | installs (4 B) | unused (4 B) | key (8 B) | up to 32 B
//   line k>=1  tag: the version (8 B) | up to 56 B of payload
//
// The current version of a record is one such image, and so is each of the old ones that are kept
// (NAM-DB paper, section 4.1). `installs` counts the versions that a record has had: old version n
// lies in slot n % K of the K that are kept, and tells which of two old ones is the later, which
// their commits, of different writers, do not.
//
// A NIC writes an image by one WRITE, whose lines may take effect in any order, each at once.
// A reader takes an image whose tags all equal its version: each of its lines was written by that
// version's writer, and not yet by the next. Nobody locks a record before all lines of its version
// are there: whoever would write has read the image whole, and who gives up the entry of an erased
// record knows the version to be published. So the WRITE that brings a version may unlock, too.
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

/// Header of an old version, by which it is known before it is read. Lies within a cache line.
struct OldHeader {
  std::uint64_t version = 0;
  std::uint32_t installs = 0;  ///< 0: there is none
  std::uint32_t line = 0;      ///< of a version in overflow: where it lies there
  bool operator==(const OldHeader&) const = default;
};
static_assert(sizeof(OldHeader) == 16);

[[noreturn]] void refuse_installs(const RecordName& name);

/// Throws std::runtime_error for a record that has had so many versions that none can have a number
/// behind theirs. `installs`: of its current version.
inline void check_installs(std::uint32_t installs, const RecordName& name) {
  if (installs == kMostInstalls) [[unlikely]]
    refuse_installs(name);
}

/// A copy of an image, or a place for one.
class RecordImage {
 public:
  explicit RecordImage(std::byte* bytes) : bytes_(bytes) {}

  std::uint64_t lock() const { return word(kLockOffset); }
  std::uint64_t version() const { return word(kVersionOffset); }
  std::uint32_t installs() const { return static_cast<std::uint32_t>(word(kInstallsOffset)); }
  Key key() const { return word(kKeyOffset); }
  std::byte* bytes() const { return bytes_; }
  /// For a copy.
  void unlock() { std::memcpy(bytes_ + kLockOffset, bytes_ + kVersionOffset, 8); }

 private:
  std::uint64_t word(std::uint32_t offset) const {
    std::uint64_t value;
    std::memcpy(&value, bytes_ + offset, sizeof value);
    return value;
  }

  std::byte* bytes_;
};

/// The images of one table's records.
class ImageFormat {
 public:
  explicit ImageFormat(std::uint32_t payload_bytes);

  std::uint32_t payload_bytes() const { return payload_bytes_; }
  /// From the lock to the end, a multiple of 8.
  std::uint32_t bytes() const { return bytes_; }
  /// Distance between neighbouring images: whole lines.
  std::uint32_t stride() const { return lines() * kCacheLineBytes; }
  std::uint32_t lines() const { return (bytes_ + kCacheLineBytes - 1) / kCacheLineBytes; }

  /// True if all lines are of one version, and no CPU was writing them.
  bool whole(const RecordImage& image) const;

  /// Fills an image, unlocked.
  void compose(RecordImage image, std::uint64_t version, std::uint32_t installs, Key key,
               const std::byte* payload) const;

  /// Writes an image over that of an entry which is in nobody's hands, by the CPU: all but the
  /// lock, and then that. NICs that read meanwhile fetch each line at once and see the lock as it
  /// was, kGivenUp, or lines of different versions; cores see that lock, or all that is new.
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
