// The lock word of a record, which names its holder.
#pragma once

#include <cstdint>

#include "rdma/base/types.h"

namespace verbena::txn {

inline constexpr std::uint64_t kUnlocked = 0;

/// Owner of a lock, encoded so that it is never 0; recovery learns from it which locks to release.
/// A fiber runs one transaction at a time; `attempt` tells its attempts apart.
struct LockOwner {
  NodeId node = 0;
  WorkerId worker = 0;
  std::uint16_t fiber = 0;
  std::uint16_t attempt = 0;  ///< its low 15 bits count

  std::uint64_t word() const {
    return std::uint64_t{node} << 48 | std::uint64_t{worker} << 32 | std::uint64_t{fiber} << 16 |
           static_cast<std::uint16_t>(attempt << 1 | 1);
  }

  static LockOwner of(std::uint64_t word) {
    return {.node = static_cast<NodeId>(word >> 48),
            .worker = static_cast<WorkerId>(word >> 32),
            .fiber = static_cast<std::uint16_t>(word >> 16),
            .attempt = static_cast<std::uint16_t>((word & 0xffff) >> 1)};
  }

  bool operator==(const LockOwner&) const = default;
};

}  // namespace verbena::txn
