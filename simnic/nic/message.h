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
  };
  std::uint32_t key;    ///< remote key; of a datagram, its queue key
  std::uint32_t bytes;  ///< length of the data
  std::uint32_t psn;
  std::uint32_t source_qp;
  std::uint32_t peer_qp;
  std::uint32_t send_index;  ///< value of the queue pair's `posted` after it
  std::uint32_t spread_ns;   ///< time between the first of its packets and the last, on its way
  std::uint8_t operation;    ///< number in kOperations
  bool datagram : 1;
  bool global : 1;  ///< datagram with a global route header
  OperationTraits traits;
};
static_assert(sizeof(Message) == 72);

}  // namespace verbena::simnic
