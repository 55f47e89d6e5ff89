// What an RPC datagram looks like.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/seam/types.h"

namespace verbena::rdma {

/// Bytes that a NIC puts in front of a received UD datagram: the global route header.
inline constexpr std::size_t kGrhBytes = 40;

enum class MessageKind : std::uint8_t { kRequest = 1, kReply = 2, kNotification = 3, kAck = 4 };

/// Begins every datagram; host byte order. Each message acknowledges notifications of the node that
/// it goes to.
struct MessageHeader {
  MessageKind kind;
  std::uint8_t method;  ///< of a request or notification
  std::uint16_t slot;   ///< of a request and its reply
  NodeId sender;
  std::uint16_t tag;       ///< the receiver's; datagrams with another one are not for it
  std::uint32_t sequence;  ///< of the request in its slot, or of the notification in its session
  std::uint32_t ack_base;  ///< all notifications before this one have been executed
  std::uint64_t ack_bits;  ///< bit i: notification ack_base + i has been executed
};
static_assert(sizeof(MessageHeader) == 24);

}  // namespace verbena::rdma
