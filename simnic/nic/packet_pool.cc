// Packets that arrive twice.
#include "simnic/nic/packet_pool.h"

#include <cstring>

namespace verbena::simnic {

Packet& PacketPool::duplicate(const Packet& packet) {
  Packet& twin = make(packet.message);
  const std::uint32_t number = twin.number;
  twin = packet;
  twin.number = number;
  if (packet.payload == nullptr) return twin;
  make_payload(twin);
  std::memcpy(twin.payload, packet.payload, packet.message.bytes);
  return twin;
}

}  // namespace verbena::simnic
