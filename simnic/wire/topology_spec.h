// Built-in shapes of networks, as users spell them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbena::simnic {

/// A network of a built-in kind. All counts are of nodes, whatever number of NICs they have;
/// docs/topologies.md tells how NICs are attached.
struct TopologySpec {
  enum class Kind : std::uint8_t { kStar, kFatTree, kDragonfly, kTorus };

  /// A number of elements, each joined with each other by a number of links.
  struct AllToAll {
    std::uint32_t count = 1;
    std::uint32_t links = 1;
  };

  Kind kind = Kind::kStar;
  /// Fat tree, by level, lowest first: elements below a switch, switches above an element, parallel
  /// links between the two.
  std::vector<std::uint32_t> down;
  std::vector<std::uint32_t> up;
  std::vector<std::uint32_t> parallel;
  /// Dragonfly.
  AllToAll groups;
  AllToAll chassis;  ///< of a group
  AllToAll routers;  ///< of a chassis
  std::uint32_t nodes_per_router = 1;
  /// Torus.
  std::vector<std::uint32_t> dimensions;

  /// Number of nodes that there is room for.
  std::uint64_t capacity() const;
  /// Returns KIND:PARAMETERS for parse_topology; "star" alone.
  std::string text() const;
};

/// Returns "star", "fat-tree", "dragonfly", "torus".
const std::vector<std::string>& topology_kinds();

/// Reads KIND, and chooses parameters that suit the cluster; or KIND:PARAMETERS in SimGrid's
/// notation. Throws ConfigurationError, in one line that begins with `text`, for any other text,
/// for parameters that no network has, and when there are more nodes than room.
TopologySpec parse_topology(const std::string& text, std::uint32_t nodes,
                            std::uint32_t nics_per_node);

/// Returns the fault of `text`, whatever the number of nodes; empty when it has none.
std::string topology_syntax_error(const std::string& text);

}  // namespace verbena::simnic
