// The layout of an RPC message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/types.h"
#include "rdma/device/endpoint_options.h"

namespace verbena::rdma {

/// Bytes that a NIC puts in front of a received UD datagram: the global route header.
inline constexpr std::size_t kGrhBytes = 40;

enum class MessageKind : std::uint8_t { kRequest = 1, kReply = 2, kNotification = 3, kAck = 4 };

/// Begins every message; host byte order. Each message acknowledges notifications of the node that
/// it goes to.
struct MessageHeader {
  MessageKind kind;
  std::uint8_t method;  ///< of a request or notification
  std::uint8_t slot;    ///< of a request and its reply
  std::uint8_t ack_base_high;
  std::uint32_t envelope;  ///< for the transport
  std::uint32_t sequence;  ///< of the request in its slot, or of the notification in its session
  std::uint16_t ack_base_low;
  std::uint16_t ack_bits;  ///< bit i: notification `base` + 1 + i has been executed

  /// Envelope of a datagram: the receiver's number for the link between sender and receiver
  /// (ClusterLinks), and the receiver's tag. A receiver drops datagrams with another tag.
  static std::uint32_t envelope_of(std::uint16_t link, std::uint16_t tag) {
    return std::uint32_t{tag} << 16 | link;
  }
  std::uint16_t link() const { return static_cast<std::uint16_t>(envelope); }
  std::uint16_t tag() const { return static_cast<std::uint16_t>(envelope >> 16); }

  /// Acknowledges all notifications before `base`. It travels in 24 bits.
  void set_ack_base(std::uint32_t base) {
    ack_base_low = static_cast<std::uint16_t>(base);
    ack_base_high = static_cast<std::uint8_t>(base >> 16);
  }
  /// Returns by how much the base is ahead of `number`; negative when it is behind.
  std::int32_t acks_ahead_of(std::uint32_t number) const {
    const std::uint32_t base = std::uint32_t{ack_base_high} << 16 | ack_base_low;
    return static_cast<std::int32_t>((base - number) << 8) >> 8;
  }
};
static_assert(sizeof(MessageHeader) == 16);
static_assert(sizeof(MessageHeader) + 64 == kLeastMessageBytes);

/// Content of a separate acknowledgement where notifications are missing: all that have been
/// executed, of which a header names only the first.
struct AckMap {
  std::uint32_t base;                             ///< all before this one
  std::uint32_t words[kMostUnacknowledged / 32];  ///< bit i: base + i
};

}  // namespace verbena::rdma
