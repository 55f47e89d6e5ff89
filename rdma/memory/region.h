// Registered memory of one node that peers access with one-sided requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::rdma {

/// A range of memory, registered with every context of its node. Owned by its Endpoint; its address
/// never changes. Under simulation its pages are filled on first touch; on hardware all of it is
/// filled before it is registered.
class Region {
 public:
  /// `arena` and `areas`: see FirstTouchMemory.
  Region(RegionId id, std::string name, std::uint64_t bytes, PageLoader loader,
         PageArena* arena = nullptr, std::vector<UnitArea> areas = {})
      : id_(id),
        bytes_(bytes),
        name_(name),
        memory_(std::move(name), bytes, std::move(loader), arena, std::move(areas)) {}

  RegionId id() const { return id_; }
  const std::string& name() const { return name_; }

  /// Size as asked for; peers may access [0, size).
  std::uint64_t size() const { return bytes_; }

  /// Returns the local address of `offset`, once [offset, offset + length) holds its content. The
  /// range must be inside the region, and inside one unit where there are any. Peers may access it
  /// at the same time: a caller that needs atomicity uses 8 B aligned atomics.
  std::byte* at(std::uint64_t offset, std::uint64_t length) { return memory_.at(offset, length); }

  FirstTouchMemory& memory() { return memory_; }

 private:
  RegionId id_;
  std::uint64_t bytes_;
  std::string name_;
  FirstTouchMemory memory_;
};

}  // namespace verbena::rdma
