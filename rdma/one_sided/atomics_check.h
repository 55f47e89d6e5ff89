// Check that a device's atomics work as locks by compare-and-swap need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "rdma/base/types.h"
#include "rdma/one_sided/request_batch.h"

namespace verbena::rdma {

/// Values that a device's atomics returned of a word of memory, and that READs found there
/// afterwards. Some devices return words in the other byte order. Unlocking by a WRITE relies on it
/// that a failing compare-and-swap writes nothing.
struct AtomicsSeen {
  static constexpr std::uint64_t kFirst = 0x0102030405060708;
  static constexpr std::uint64_t kAdded = 0x10;
  static constexpr std::uint64_t kSwappedIn = 0xA1B2C3D4E5F60718;

  std::uint64_t added_to = 0;     ///< returned by fetch-and-add
  std::uint64_t after_add = 0;    ///< in memory afterwards
  std::uint64_t not_swapped = 0;  ///< returned by a compare-and-swap that expects something else
  std::uint64_t after_failing_swap = 0;  ///< in memory afterwards
  std::uint64_t swapped = 0;             ///< returned by one that expects what is there
  std::uint64_t after_swap = 0;          ///< in memory afterwards
};

/// Tries atomics on the word at `at`, which is overwritten. `scratch` is 8 B of the worker's
/// scratch memory. Called on a fiber. Throws as RequestBatch does.
AtomicsSeen try_atomics(RequestBatch& batch, RemoteAddress at, std::span<std::byte> scratch);

/// Returns the fault of these atomics in one sentence without a full stop; empty when they have
/// none.
std::string fault_of(const AtomicsSeen& seen);

}  // namespace verbena::rdma
