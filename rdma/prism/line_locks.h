// Locks that keep a server's cores from accessing one cache line at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rdma/base/cache_line.h"

namespace verbena::rdma {

/// Locks of a region's cache lines, each shared by many lines: writers exclude each other, and
/// readers notice writers. Processors have no compare-and-swap of 32 B, and plain loads of more
/// than 8 B may be torn. Held only for the copy of one line, during which no time may pass in a
/// simulation. Thread-safe.
class LineLocks {
 public:
  LineLocks() : versions_(std::make_unique<Version[]>(kLocks)) {}

  /// Calls copy() until no writer was there while it ran. Calls `give_way` every kPatience tries.
  template <typename Copy, typename GiveWay>
  void read(std::uint64_t offset, Copy&& copy, GiveWay&& give_way) {
    const Version& version = version_of(offset);
    for (unsigned tries = 1;; ++tries) {
      const std::uint64_t before = version.load(std::memory_order_acquire);
      if (before % 2 == 0) {
        copy();
        std::atomic_thread_fence(std::memory_order_acquire);
        if (version.load(std::memory_order_relaxed) == before) return;
      }
      if (tries % kPatience == 0) give_way();
    }
  }

  /// Calls change() while no other writer is there. Calls `give_way` likewise.
  template <typename Change, typename GiveWay>
  void write(std::uint64_t offset, Change&& change, GiveWay&& give_way) {
    Version& version = version_of(offset);
    for (unsigned tries = 1;; ++tries) {
      std::uint64_t before = version.load(std::memory_order_relaxed);
      if (before % 2 == 0 &&
          version.compare_exchange_weak(before, before + 1, std::memory_order_acq_rel)) {
        break;
      }
      if (tries % kPatience == 0) give_way();
    }
    std::atomic_thread_fence(std::memory_order_release);
    change();
    version.fetch_add(1, std::memory_order_release);
  }

 private:
  using Version = std::atomic<std::uint64_t>;  // odd: a writer is there
  static constexpr std::size_t kLocks = 4096;
  static constexpr unsigned kPatience = 64;

  Version& version_of(std::uint64_t offset) { return versions_[offset / kCacheLineBytes % kLocks]; }

  std::unique_ptr<Version[]> versions_;
};

}  // namespace verbena::rdma
