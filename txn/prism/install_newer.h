// Chain that replaces an object, unless a newer one is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"

namespace verbena::txn::prism {

/// A version, and the offset of the buffer with its object: the content of a slot, 16 B in one
/// line. Objects begin with their version, too.
struct VersionAndPointer {
  std::uint64_t version = 0;
  std::uint64_t pointer = 0;
};

/// Returns an ALLOCATE of a buffer of `list` with `object`, conditional on the operation before it.
/// Its address goes to the scratch, to where `pointer_at` is. `object` must outlive the result.
rdma::Operation allocate_to_scratch(rdma::FreeListId list, std::span<const std::byte> object,
                                    std::uint64_t pointer_at);

/// Returns a chain: WRITE the version of `object` to the scratch; ALLOCATE a buffer of `list` with
/// the object, its address to the scratch behind it; compare-and-swap the pair at offset `at` with
/// that in the scratch, if the new version is greater (PRISM paper, section 7.3). The last
/// operation returns the old pair. `object` must outlive the result.
std::array<rdma::Operation, 3> install_newer(rdma::FreeListId list, std::uint64_t at,
                                             std::span<const std::byte> object);

}  // namespace verbena::txn::prism
