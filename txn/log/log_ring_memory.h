// The memory of a log ring at its backup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/seam/first_touch_memory.h"

namespace verbena::txn {

/// A range of a log region, which may lie in units. Places count from the ring's beginning; ranges
/// must be inside the ring. Concurrent with WRITEs of the ring's writer.
class LogRingMemory {
 public:
  /// Covers `bytes` of `region`, which must outlive it, from `begin` on.
  LogRingMemory(rdma::FirstTouchMemory& region, std::uint64_t begin, std::uint64_t bytes)
      : region_(region), begin_(begin), bytes_(bytes) {}

  std::uint64_t bytes() const { return bytes_; }

  /// True unless nothing was ever written or read around `place`; always true on hardware.
  bool holds(std::uint64_t place) const { return region_.holds(begin_ + place); }

  void write(std::uint64_t place, std::span<const std::byte> from) const;

  /// Returns the range at `place` in one piece: in the ring itself, or put together in `copy`.
  std::span<const std::byte> read(std::uint64_t place, std::uint64_t bytes,
                                  std::vector<std::byte>& copy) const;

  /// Returns the record that begins at `place`, in one piece as `read` does, for
  /// LogRecordReader::parse; of a padding its first word. Where no valid record begins, returns
  /// some bytes before the ring's end.
  std::span<const std::byte> read_record(std::uint64_t place, std::vector<std::byte>& copy) const;

 private:
  rdma::FirstTouchMemory& region_;
  std::uint64_t begin_;
  std::uint64_t bytes_;
};

}  // namespace verbena::txn
