// The chain by which an object is replaced, unless a newer one is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"

namespace verbena::txn::prism {

/// A version, and the offset of the buffer whose object has it: what a slot leads to, 16 B in one
/// line. Objects begin with their version, too.
struct VersionAndPointer {
  std::uint64_t version = 0;
  std::uint64_t pointer = 0;
};

/// ALLOCATE a buffer of `list` with `object`, if the operation before it was successful; its
/// address goes to the scratch, to where `pointer_at` is. `object` has to outlive what is returned.
rdma::Operation allocate_to_scratch(rdma::FreeListId list, std::span<const std::byte> object,
                                    std::uint64_t pointer_at);

/// WRITE the version of `object` to the scratch; ALLOCATE a buffer of `list` with the object, its
/// address to the scratch behind it; compare-and-swap the pair at offset `at` with what stands
/// there, if the new version is greater (PRISM paper, section 7.3). `object` has to outlive what is
/// returned, and the pair is what the last operation gives.
std::array<rdma::Operation, 3> install_newer(rdma::FreeListId list, std::uint64_t at,
                                             std::span<const std::byte> object);

}  // namespace verbena::txn::prism
