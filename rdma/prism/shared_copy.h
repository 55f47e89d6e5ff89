// Copies of memory that other cores may change meanwhile.
#pragma once

#include <cstddef>

namespace verbena::rdma {

/// Copies `bytes` of a part of a cache line; words that lie in it whole are loaded in one piece
/// each, in ascending order.
void copy_from_shared(std::byte* to, const std::byte* shared, std::size_t bytes);

/// The same to memory that other cores look at.
void copy_to_shared(std::byte* shared, const std::byte* from, std::size_t bytes);

}  // namespace verbena::rdma
