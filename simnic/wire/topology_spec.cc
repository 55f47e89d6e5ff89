// Reading, choosing and checking the parameters of networks.
#include "simnic/wire/topology_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "rdma/base/text/nearest_name.h"
#include "rdma/base/text/split.h"

namespace verbena::simnic {
namespace {

using Kind = TopologySpec::Kind;
using Numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t kLargest = 65'536;     ///< of one parameter
constexpr std::uint64_t kMostPlaces = 65'536;  ///< for nodes, and on each level for switches
constexpr std::uint64_t kMostLinks = 1 << 20;
constexpr std::size_t kMostLevels = 8;
constexpr const char* kTooLarge = "more switches or links than can be simulated";
/// Ports of the switches from which a fat tree is made when only its kind is given (SB7890).
constexpr std::uint32_t kSwitchPorts = 36;

/// Numbers from 1 on with commas between them; none when `text` is something else.
Numbers numbers(const std::string& text) {
  Numbers result;
  for (const std::string& part : split(text, ',')) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool whole = error == std::errc() && end == part.data() + part.size();
    if (!whole || number < 1 || number > kLargest) return {};
    result.push_back(number);
  }
  return result;
}

std::string joined(const Numbers& numbers, const char* separator) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    if (!text.empty()) text += separator;
    text += std::to_string(number);
  }
  return text;
}

std::uint64_t product(const Numbers& numbers) {
  return std::accumulate(
      numbers.begin(), numbers.end(), std::uint64_t{1},
      [](std::uint64_t a, std::uint32_t b) { return std::min(a * b, kMostPlaces * kLargest); });
}

std::string read_fat_tree(const std::string& parameters, TopologySpec& spec) {
  const char* const expected =
      "expected LEVELS;DOWN,...;UP,...;PARALLEL,... with a number per level, lowest level first, "
      "e.g. 2;4,4;1,2;1,2";
  const std::vector<std::string> parts = split(parameters, ';');
  if (parts.size() != 4) return expected;
  const Numbers levels = numbers(parts[0]);
  spec.down = numbers(parts[1]);
  spec.up = numbers(parts[2]);
  spec.parallel = numbers(parts[3]);
  if (levels.size() != 1 || levels[0] > kMostLevels) return expected;
  for (const Numbers* part : {&spec.down, &spec.up, &spec.parallel}) {
    if (part->size() != levels[0]) return expected;
  }
  std::uint64_t below = product(spec.down);
  for (std::size_t level = 0; level < levels[0]; ++level) {
    const std::uint64_t links = below * spec.up[level] * spec.parallel[level];
    // Every step keeps both numbers small enough for the next.
    if (below > kMostPlaces || links > kMostLinks) return kTooLarge;
    below = below / spec.down[level] * spec.up[level];
  }
  return below > kMostPlaces ? kTooLarge : "";
}

std::string read_dragonfly(const std::string& parameters, TopologySpec& spec) {
  const char* const expected =
      "expected GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NODES, e.g. 3,4;3,2;3,1;2";
  const std::vector<std::string> parts = split(parameters, ';');
  if (parts.size() != 4) return expected;
  TopologySpec::AllToAll* const levels[] = {&spec.groups, &spec.chassis, &spec.routers};
  for (std::size_t i = 0; i < 3; ++i) {
    const Numbers pair = numbers(parts[i]);
    if (pair.size() != 2) return expected;
    *levels[i] = {pair[0], pair[1]};
  }
  const Numbers nodes = numbers(parts[3]);
  if (nodes.size() != 1) return expected;
  spec.nodes_per_router = nodes[0];
  // SimGrid joins group j to router j of the first chassis of every other group.
  if (spec.groups.count > spec.routers.count) {
    return std::to_string(spec.groups.count) + " groups need as many routers in a chassis, not " +
           std::to_string(spec.routers.count);
  }
  const std::uint64_t routers =
      product({spec.groups.count, spec.chassis.count, spec.routers.count});
  const std::uint64_t neighbours = spec.chassis.count + spec.routers.count + 1;
  return routers > kMostPlaces || routers * neighbours > kMostLinks ? kTooLarge : "";
}

std::string read_torus(const std::string& parameters, TopologySpec& spec) {
  spec.dimensions = numbers(parameters);
  const bool good = !spec.dimensions.empty() && spec.dimensions.size() <= kMostLevels;
  return good ? "" : "expected the size of each dimension, e.g. 4,4,4";
}

/// Reads `text` into `spec`. Returns what is wrong with it.
std::string read(const std::string& text, TopologySpec& spec, bool& automatic) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto& kinds = topology_kinds();
  const auto kind = std::find(kinds.begin(), kinds.end(), name);
  if (kind == kinds.end()) {
    std::string known;
    for (const std::string& one : kinds) known += (known.empty() ? "" : ", ") + one;
    return "unknown topology" + did_you_mean(name, kinds) + " (known: " + known + ")";
  }
  spec.kind = static_cast<Kind>(kind - kinds.begin());
  automatic = colon == std::string::npos;
  if (automatic) return "";
  const std::string parameters = text.substr(colon + 1);
  std::string error;
  if (spec.kind == Kind::kStar) error = "a star has no parameters";
  if (spec.kind == Kind::kFatTree) error = read_fat_tree(parameters, spec);
  if (spec.kind == Kind::kDragonfly) error = read_dragonfly(parameters, spec);
  if (spec.kind == Kind::kTorus) error = read_torus(parameters, spec);
  if (error.empty() && spec.kind != Kind::kStar && spec.capacity() > kMostPlaces) {
    error = "room for more than " + std::to_string(kMostPlaces) + " nodes";
  }
  return error;
}

std::uint32_t quotient_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

/// Full bisection bandwidth from switches of kSwitchPorts ports, with as few levels as that takes.
void choose_fat_tree(std::uint32_t nodes, std::uint32_t nics, TopologySpec& spec) {
  constexpr std::uint32_t kHalf = kSwitchPorts / 2;
  if (std::uint64_t{nodes} * nics <= kSwitchPorts) {
    spec.down = {nodes};
    spec.up = spec.parallel = {1};
    return;
  }
  const std::uint32_t per_leaf = std::max<std::uint32_t>(1, kHalf / nics);
  const std::uint32_t leaves = quotient_up(nodes, per_leaf);
  const std::uint32_t ways_up = per_leaf * nics;
  if (leaves <= kSwitchPorts) {
    spec.down = {per_leaf, leaves};
    spec.up = {1, ways_up};
    spec.parallel = {1, 1};
    return;
  }
  const std::uint32_t pods = quotient_up(leaves, kHalf);
  const std::uint32_t leaves_per_pod = quotient_up(leaves, pods);
  spec.down = {per_leaf, leaves_per_pod, pods};
  spec.up = {1, ways_up, leaves_per_pod};
  spec.parallel = {1, 1, 1};
}

/// As many groups as routers in a chassis, and links so that evenly spread traffic meets about the
/// same load everywhere.
void choose_dragonfly(std::uint32_t nodes, std::uint32_t nics, TopologySpec& spec) {
  const auto per_router =
      std::max(1U, static_cast<std::uint32_t>(std::sqrt(std::sqrt(static_cast<double>(nodes)))));
  std::uint32_t groups = 1;
  while (groups * groups * per_router * per_router < nodes) ++groups;
  spec.nodes_per_router = per_router;
  spec.chassis = {per_router, per_router * nics};
  spec.routers = {groups, per_router * nics};
  spec.groups = {groups, per_router * per_router * nics};
}

/// Three dimensions, about equally long.
void choose_torus(std::uint32_t nodes, TopologySpec& spec) {
  const auto z = std::max(1U, static_cast<std::uint32_t>(std::cbrt(nodes) + 1e-9));
  const auto y = std::max(1U, static_cast<std::uint32_t>(std::sqrt(nodes / z) + 1e-9));
  spec.dimensions = {std::max(2U, quotient_up(nodes, y * z)), y, z};
}

}  // namespace

const std::vector<std::string>& topology_kinds() {
  static const std::vector<std::string> kinds = {"star", "fat-tree", "dragonfly", "torus"};
  return kinds;
}

std::uint64_t TopologySpec::capacity() const {
  switch (kind) {
    case Kind::kStar:
      return kMostPlaces;
    case Kind::kFatTree:
      return product(down);
    case Kind::kDragonfly:
      return product({groups.count, chassis.count, routers.count, nodes_per_router});
    case Kind::kTorus:
      return product(dimensions);
  }
  return 0;
}

std::string TopologySpec::text() const {
  const auto pair = [](const AllToAll& level) { return joined({level.count, level.links}, ","); };
  std::string name = topology_kinds()[static_cast<std::size_t>(kind)];
  switch (kind) {
    case Kind::kStar:
      return name;
    case Kind::kFatTree:
      return name + ":" + std::to_string(down.size()) + ";" + joined(down, ",") + ";" +
             joined(up, ",") + ";" + joined(parallel, ",");
    case Kind::kDragonfly:
      return name + ":" + pair(groups) + ";" + pair(chassis) + ";" + pair(routers) + ";" +
             std::to_string(nodes_per_router);
    case Kind::kTorus:
      return name + ":" + joined(dimensions, ",");
  }
  return name;
}

std::string topology_syntax_error(const std::string& text) {
  TopologySpec spec;
  bool automatic = false;
  return read(text, spec, automatic);
}

TopologySpec parse_topology(const std::string& text, std::uint32_t nodes,
                            std::uint32_t nics_per_node) {
  TopologySpec spec;
  bool automatic = false;
  const std::string error = read(text, spec, automatic);
  if (!error.empty()) throw ConfigurationError("topology " + text + ": " + error);
  if (automatic && spec.kind == Kind::kFatTree) choose_fat_tree(nodes, nics_per_node, spec);
  if (automatic && spec.kind == Kind::kDragonfly) choose_dragonfly(nodes, nics_per_node, spec);
  if (automatic && spec.kind == Kind::kTorus) choose_torus(nodes, spec);
  // Dimensions of one place have no links; SimGrid takes one of them at most.
  std::erase(spec.dimensions, 1);
  if (spec.kind == Kind::kTorus && spec.dimensions.empty()) {
    throw ConfigurationError("topology " + text + ": a torus has two nodes or more");
  }
  if (spec.capacity() < nodes) {
    throw ConfigurationError("topology " + text + ": has room for " +
                             counted(spec.capacity(), "node") + ", there are " +
                             std::to_string(nodes));
  }
  return spec;
}

}  // namespace verbena::simnic
