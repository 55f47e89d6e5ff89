// The memory of a log ring at its backup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/seam/first_touch_memory.h"

namespace verbena::txn {

/// `bytes` from `begin` on of a log region, which may lie in units. Places count from the ring's
/// beginning; ranges must be inside the ring. Concurrent with WRITEs of the ring's writer.
class LogRingMemory {
 public:
  /// `region` must outlive it.
  LogRingMemory(rdma::FirstTouchMemory& region, std::uint64_t begin, std::uint64_t bytes)
      : region_(region), begin_(begin), bytes_(bytes) {}

  std::uint64_t bytes() const { return bytes_; }

  void write(std::uint64_t place, std::span<const std::byte> from) const;

  /// The range at `place`, as it lies in the ring or, if that is in several pieces, as a copy in
  /// `copy`.
  std::span<const std::byte> read(std::uint64_t place, std::uint64_t bytes,
                                  std::vector<std::byte>& copy) const;

  /// At least the record that begins at `place`, as far as it is before the ring's end; of what is
  /// no record, anything. Likewise.
  std::span<const std::byte> read_record(std::uint64_t place, std::vector<std::byte>& copy) const;

 private:
  rdma::FirstTouchMemory& region_;
  std::uint64_t begin_;
  std::uint64_t bytes_;
};

}  // namespace verbena::txn
