// Copies word by word.
#include "rdma/prism/shared_copy.h"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace verbena::rdma {
namespace {

bool is_word(const std::byte* at, std::size_t left) {
  return reinterpret_cast<std::uintptr_t>(at) % 8 == 0 && left >= 8;
}

template <typename T>
std::atomic_ref<T> shared_at(const std::byte* at) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(const_cast<std::byte*>(at)));
}

}  // namespace

void copy_from_shared(std::byte* to, const std::byte* shared, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes;) {
    if (is_word(shared + i, bytes - i)) {
      const std::uint64_t word =
          shared_at<std::uint64_t>(shared + i).load(std::memory_order_acquire);
      std::memcpy(to + i, &word, 8);
      i += 8;
    } else {
      to[i] = shared_at<std::byte>(shared + i).load(std::memory_order_relaxed);
      ++i;
    }
  }
}

void copy_to_shared(std::byte* shared, const std::byte* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes;) {
    if (is_word(shared + i, bytes - i)) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + i, 8);
      shared_at<std::uint64_t>(shared + i).store(word, std::memory_order_release);
      i += 8;
    } else {
      shared_at<std::byte>(shared + i).store(from[i], std::memory_order_relaxed);
      ++i;
    }
  }
}

}  // namespace verbena::rdma
