// Batches of packets, and packets that arrive twice.
#include "simnic/nic/packet_pool.h"

#include <cstring>
#include <stdexcept>

namespace verbena::simnic {

void PacketStore::take(FreeList<std::uint32_t>& free) {
  const std::lock_guard lock(mutex_);
  if (spare_.size() >= kBatch) {
    for (std::size_t i = spare_.size() - kBatch; i < spare_.size(); ++i) free.push(spare_[i]);
    spare_.resize(spare_.size() - kBatch);
    return;
  }
  if (used_ == kMostChunks) throw std::length_error("too many packets are under way");
  (*chunks_)[used_] = std::make_unique<Packet[]>(kBatch);
  for (std::uint32_t i = kBatch; i-- > 0;) free.push(used_ * kBatch + i);
  ++used_;
}

void PacketStore::give_back(FreeList<std::uint32_t>& free) {
  const std::lock_guard lock(mutex_);
  const auto old = free.oldest(kBatch);
  spare_.insert(spare_.end(), old.begin(), old.end());
  free.drop_oldest(old.size());
}

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
