// The wr_id of send requests, by which a completion names the request that it completes.
#pragma once

#include <cstdint>

namespace verbena::rdma {

/// Decoded wr_id of a send request: enough to find everything by indexing.
struct WorkRequestId {
  std::uint16_t number;      ///< low bits of the request's number in its send queue
  std::uint16_t channel;     ///< queue pair of the worker
  std::uint16_t owner;       ///< batch that waits; 0: none
  std::uint16_t generation;  ///< number of reuses of the owner's number, modulo 2^15
  bool last;                 ///< the owner's last request on this queue pair

  static constexpr std::uint16_t kGenerationMask = 0x7fff;

  std::uint64_t encode() const {
    return std::uint64_t{number} | std::uint64_t{channel} << 16 | std::uint64_t{owner} << 32 |
           std::uint64_t{generation} << 48 | std::uint64_t{last} << 63;
  }
  static WorkRequestId decode(std::uint64_t id) {
    return {static_cast<std::uint16_t>(id), static_cast<std::uint16_t>(id >> 16),
            static_cast<std::uint16_t>(id >> 32),
            static_cast<std::uint16_t>(id >> 48 & kGenerationMask), (id >> 63) != 0};
  }
};

/// Channel number of the queue pairs that carry RPCs.
inline constexpr std::uint16_t kMessageChannel = 0xffff;

/// Owner number of requests that nobody waits for.
inline constexpr std::uint16_t kNoOwner = 0;

}  // namespace verbena::rdma
