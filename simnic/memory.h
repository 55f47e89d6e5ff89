// The one place where NICs access host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rdma/seam/first_touch_memory.h"
#include "simnic/objects.h"

namespace verbena::simnic {

/// Whether keys of `region` are good for `qp`. Parent domains stand for the protection domain that
/// they were made of.
inline bool same_domain(const Region& region, const QueuePair& qp) {
  return region.pd == qp.pd || ProtectionDomain::root(region.pd) == ProtectionDomain::root(qp.pd);
}

/// The bytes [address, address + bytes) of `region`, which covers them, filled if they are filled
/// on first touch.
inline std::byte* region_memory(const Region& region, std::uint64_t address, std::uint64_t bytes) {
  if (region.first_touch != nullptr) {
    auto* memory = region.first_touch;
    memory->touch(address - reinterpret_cast<std::uintptr_t>(memory->base()), bytes);
  }
  return reinterpret_cast<std::byte*>(address);
}

inline void copy_from_region(const Region& region, std::uint64_t address, std::uint64_t bytes,
                             std::byte* to) {
  if (bytes != 0) std::memcpy(to, region_memory(region, address, bytes), bytes);
}

inline void copy_to_region(const Region& region, std::uint64_t address, std::uint64_t bytes,
                           const std::byte* from) {
  if (bytes != 0) std::memcpy(region_memory(region, address, bytes), from, bytes);
}

}  // namespace verbena::simnic
