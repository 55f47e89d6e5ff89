// Strongly connected components of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace verbena::txn {

/// Returns the strongly connected components of more than one node, each a list of its nodes.
/// `edges` are sorted, and between nodes from 0 to `nodes` - 1. Takes time proportional to both.
std::vector<std::vector<std::uint32_t>> strong_components(
    std::uint32_t nodes, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace verbena::txn
