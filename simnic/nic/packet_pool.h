// The packets under way, with their payloads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simnic/engine/slab.h"
#include "simnic/nic/packet.h"

namespace verbena::simnic {

/// Packets by number. A packet owns its payload.
class PacketPool {
 public:
  Packet& operator[](std::uint32_t number) { return packets_[number]; }

  /// Returns a packet of `message`, without payload.
  Packet& make(const Message& message) {
    const std::uint32_t number = packets_.allocate();
    Packet& packet = packets_[number];
    packet.message = message;
    packet.payload = nullptr;
    packet.promised_by = nullptr;
    packet.number = number;
    packet.answer = Answer::kNone;
    packet.status = 0;
    packet.repeated = packet.stray = packet.found_peer = false;
    return packet;
  }
  /// Returns a packet like `packet`, with the same payload.
  Packet& duplicate(const Packet& packet);
  void release(Packet& packet) {
    payloads_.release(packet.payload, packet.message.bytes);
    packets_.release(packet.number);
  }

  /// Gives `packet` room for a payload, which it does not have yet.
  void make_payload(Packet& packet) { packet.payload = payloads_.allocate(packet.message.bytes); }

 private:
  Slab<Packet> packets_;
  PayloadPool payloads_;
};

}  // namespace verbena::simnic
