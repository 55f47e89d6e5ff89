// The chain that installs an object, and the same operations where NICs cannot do all of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"
#include "txn/prism/access/without.h"

namespace verbena::txn::prism {

/// A chain that installs an object: WRITE words to the scratch; ALLOCATE a buffer with the object,
/// its address to the scratch as well; compare-and-swap a slot with the scratch.
using InstallChain = std::array<rdma::Operation, 3>;

/// Returns the chain's ALLOCATE by itself. Its address comes back.
rdma::Operation allocation_of(const InstallChain& chain);

/// Returns the chain's compare-and-swap by itself, with the operand that the scratch would have if
/// the buffer were at `pointer`.
rdma::Operation swap_of(const InstallChain& chain, std::uint64_t pointer);

/// Returns a chain: WRITE the object to the buffer at `pointer`, and then the compare-and-swap.
std::array<rdma::Operation, 2> write_and_swap(const InstallChain& chain, std::uint64_t pointer);

/// Bytes of the longest message, of requests or results, that takes `chain` without that extension.
std::size_t longest_message(const InstallChain& chain, Without without);

}  // namespace verbena::txn::prism
