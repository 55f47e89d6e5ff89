// Buffers for payloads in flight.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simnic/engine/free_list.h"

namespace verbena::simnic {

/// Memory of payloads, in powers of two from a cache line up, and the buffers that threads have too
/// many of. It never gives memory back while the simulation lives. Thread-safe.
class PayloadStore {
 public:
  static std::size_t size_class(std::uint32_t bytes) {
    return bytes <= 64 ? 6 : static_cast<std::size_t>(std::bit_width(bytes - 1));
  }
  /// Number of buffers of a class that change hands together.
  static std::size_t batch(std::size_t size_class) {
    const std::size_t bytes = std::size_t{1} << size_class;
    return bytes < kBatchBytes ? kBatchBytes / bytes : 1;
  }

  /// Number of buffers of a class that a thread keeps at most.
  static std::size_t most(std::size_t size_class) { return 3 * batch(size_class); }

  /// Adds a batch of buffers to `free`, which is empty.
  void take(std::size_t size_class, FreeList<std::byte*>& free);
  /// Takes a batch off `free`, which is full.
  void give_back(std::size_t size_class, FreeList<std::byte*>& free);

 private:
  static constexpr std::size_t kBatchBytes = 64 * 1024;

  std::mutex mutex_;
  std::array<std::vector<std::byte*>, 33> free_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

/// One thread's buffers for payloads. The last one released of a size is the first to be used
/// again. A buffer may be released to another pool of the store than the one that it is from.
class PayloadPool {
 public:
  /// `store` must outlive this.
  explicit PayloadPool(PayloadStore& store) : store_(store) {}

  /// Allocates a buffer of at least `bytes`; null for zero bytes.
  std::byte* allocate(std::uint32_t bytes) {
    if (bytes == 0) return nullptr;
    const std::size_t size_class = PayloadStore::size_class(bytes);
    FreeList<std::byte*>& free = free_[size_class];
    if (free.empty()) [[unlikely]]
      store_.take(size_class, free);
    return free.pop();
  }

  /// Gives back what `allocate(bytes)` returned.
  void release(std::byte* buffer, std::uint32_t bytes) {
    if (buffer == nullptr) return;
    const std::size_t size_class = PayloadStore::size_class(bytes);
    FreeList<std::byte*>& free = free_[size_class];
    if (free.full()) [[unlikely]]
      store_.give_back(size_class, free);
    free.push(buffer);
  }

 private:
  PayloadStore& store_;
  std::array<FreeList<std::byte*>, 33> free_;
};

}  // namespace verbena::simnic
