// The packets under way, with their payloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simnic/engine/free_list.h"
#include "simnic/engine/payload_pool.h"
#include "simnic/nic/packet.h"

namespace verbena::simnic {

/// Memory of all packets of a cluster, and the free ones that threads have too many of.
/// Thread-safe: a packet belongs to the thread that it was handed to.
class PacketStore {
 public:
  static constexpr std::uint32_t kBatch = 1024;  ///< free packets that change hands together

  Packet& operator[](std::uint32_t number) { return (*chunks_)[number / kBatch][number % kBatch]; }

  /// Adds the numbers of a batch of free packets to `free`, which is empty.
  void take(FreeList<std::uint32_t>& free);
  /// Takes a batch off `free`, which is full.
  void give_back(FreeList<std::uint32_t>& free);

  PayloadStore& payloads() { return payloads_; }

 private:
  /// Limits packets to 2^26, which take 8 GiB.
  static constexpr std::size_t kMostChunks = 1 << 16;
  using Chunks = std::array<std::unique_ptr<Packet[]>, kMostChunks>;

  std::mutex mutex_;
  std::unique_ptr<Chunks> chunks_ = std::make_unique<Chunks>();
  std::uint32_t used_ = 0;  ///< number of chunks
  std::vector<std::uint32_t> spare_;
  PayloadStore payloads_;
};

/// One thread's free packets and buffers: those that are released last are used first again.
class ThreadPackets {
 public:
  /// `store` must outlive this.
  explicit ThreadPackets(PacketStore& store) : payloads(store.payloads()), store_(store) {
    free_.make_room(kMostBatches * PacketStore::kBatch);
  }

  std::uint32_t allocate() {
    if (free_.empty()) [[unlikely]]
      store_.take(free_);
    return free_.pop();
  }
  void release(std::uint32_t number) {
    if (free_.full()) [[unlikely]]
      store_.give_back(free_);
    free_.push(number);
  }

  PayloadPool payloads;

 private:
  static constexpr std::size_t kMostBatches = 4;

  PacketStore& store_;
  FreeList<std::uint32_t> free_;
};

/// A node's access to packets, by number. A packet owns its payload; who has it last gives it back.
class PacketPool {
 public:
  /// `store` must outlive this.
  explicit PacketPool(PacketStore& store) : store_(store) {}

  /// Sets the thread that the node runs on. It must be set before packets are made or released.
  void use(ThreadPackets& thread) { thread_ = &thread; }
  /// Buffers of that thread.
  PayloadPool& payloads() { return thread_->payloads; }

  Packet& operator[](std::uint32_t number) { return store_[number]; }

  /// Returns a packet of `message`, without payload.
  Packet& make(const Message& message) {
    const std::uint32_t number = thread_->allocate();
    Packet& packet = store_[number];
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
    payloads().release(packet.payload, packet.message.bytes);
    thread_->release(packet.number);
  }

  /// Gives `packet` room for a payload, which it does not have yet.
  void make_payload(Packet& packet) { packet.payload = payloads().allocate(packet.message.bytes); }

 private:
  PacketStore& store_;
  ThreadPackets* thread_ = nullptr;
};

}  // namespace verbena::simnic
