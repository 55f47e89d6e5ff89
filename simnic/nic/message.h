// The content of a message between two NICs.
#pragma once

#include <cstdint>

#include "simnic/nic/operation.h"

namespace verbena::simnic {

struct Nic;

/// Packet sequence numbers have 24 bits.
inline constexpr std::uint32_t kPsnMask = 0xff'ffff;

/// The headers of a request, by which its responder executes it and answers. The requester keeps
/// them to send them again; each packet has a copy.
struct Message {
  Nic* from;
  Nic* to;
  std::uint64_t remote_address;
  union {
    std::uint64_t operand[2];  ///< of atomics: compare or add, swap
    std::uint32_t immediate;   ///< of those that have it; in network order
    struct {
      std::uint32_t carried;   ///< bytes of data that the request brings
      std::uint32_t returned;  ///< bytes of data that come back, at most or in fact
      std::uint32_t header;    ///< bytes of the request beside data and each packet's headers
    } chain;                   ///< of PRISM's operations
  };
  std::uint32_t key;    ///< remote key; of a datagram, its queue key
  std::uint32_t bytes;  ///< length of the data; of PRISM's operations, of what describes them, too
  std::uint32_t psn;
  std::uint32_t source_qp;
  std::uint32_t peer_qp;
  std::uint32_t send_index;  ///< value of the queue pair's `posted` after it
  std::uint32_t spread_ns;   ///< time between the first of its packets and the last, on its way
  std::uint8_t operation;    ///< number in kOperations
  bool datagram : 1;
  bool global : 1;  ///< datagram with a global route header
  OperationTraits traits;

  bool of_chain() const { return traits.effect == Effect::kChain; }
  /// Bytes of data that cross the wire with the request.
  std::uint32_t carried_bytes() const {
    if (of_chain()) [[unlikely]]
      return chain.carried;
    return traits.carries_payload ? bytes : 0;
  }
  /// Bytes of data that come back, and are written to the requester's memory.
  std::uint32_t result_bytes() const {
    if (of_chain()) [[unlikely]]
      return chain.returned;
    return traits.returns_data ? bytes : 0;
  }
  /// Bytes of data that come back as payload.
  std::uint32_t returned_bytes() const {
    if (of_chain()) [[unlikely]]
      return chain.returned;
    return traits.returns_payload ? bytes : 0;
  }
};
static_assert(sizeof(Message) == 72);

}  // namespace verbena::simnic
