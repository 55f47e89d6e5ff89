// Networks as users write them, and what is chosen when they name only the kind.
#include "simnic/wire/topology_spec.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "rdma/base/errors.h"

namespace verbena::simnic {
namespace {

std::string complaint(const std::string& text, std::uint32_t nodes = 4) {
  try {
    parse_topology(text, nodes, 1);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "none";
}

TEST(TopologySpec, ParametersAreSimGrids) {
  const TopologySpec tree = parse_topology("fat-tree:2;4,5;1,2;1,3", 20, 1);
  EXPECT_EQ(tree.down, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(tree.up, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(tree.parallel, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(tree.capacity(), 20U);
  const TopologySpec dragonfly = parse_topology("dragonfly:3,4;2,5;6,1;7", 252, 1);
  EXPECT_EQ(dragonfly.groups.count, 3U);
  EXPECT_EQ(dragonfly.groups.links, 4U);
  EXPECT_EQ(dragonfly.chassis.links, 5U);
  EXPECT_EQ(dragonfly.capacity(), 252U);
  EXPECT_EQ(parse_topology("torus:3,4,5", 60, 1).capacity(), 60U);
}

TEST(TopologySpec, WhatIsChosenHoldsAllNodesAndCanBeWritten) {
  for (const std::string& kind : topology_kinds()) {
    for (const std::uint32_t nodes : {1U, 2U, 3U, 16U, 17U, 80U, 324U, 325U, 500U, 1024U}) {
      for (const std::uint32_t nics : {1U, 2U, 16U}) {
        const TopologySpec spec = parse_topology(kind, nodes, nics);
        EXPECT_GE(spec.capacity(), nodes) << kind;
        EXPECT_EQ(parse_topology(spec.text(), nodes, nics).text(), spec.text());
        if (kind == "star") continue;
        EXPECT_LE(spec.capacity(), 3 * nodes + 3) << spec.text() << " for " << nodes;
      }
    }
  }
}

TEST(TopologySpec, AChosenFatTreeHasFullBisectionBandwidth) {
  for (const std::uint32_t nodes : {16U, 80U, 500U}) {
    for (const std::uint32_t nics : {1U, 2U}) {
      const TopologySpec tree = parse_topology("fat-tree", nodes, nics);
      std::uint64_t below = tree.capacity() * nics;
      for (std::size_t level = 0; level < tree.down.size(); ++level) {
        const std::uint64_t links = below * tree.up[level] * tree.parallel[level];
        EXPECT_GE(links, tree.capacity()) << tree.text() << ", level " << level;
        below = below / (tree.down[level] * (level == 0 ? nics : 1)) * tree.up[level];
      }
    }
  }
}

TEST(TopologySpec, WhatIsWrongIsSaidInOneLine) {
  EXPECT_NE(complaint("fat-tre").find("did you mean fat-tree?"), std::string::npos);
  EXPECT_NE(complaint("star:4").find("no parameters"), std::string::npos);
  EXPECT_NE(complaint("torus:1").find("two nodes or more"), std::string::npos);
  EXPECT_NE(complaint("torus:2").find("room for 2 nodes, there are 4"), std::string::npos);
  EXPECT_NE(complaint("dragonfly:3,1;1,1;2,1;9").find("as many routers"), std::string::npos);
  for (const char* text :
       {"torus:", "torus:0", "torus:4,", "torus:-4", "torus:4x", "torus:99999999999",
        "fat-tree:2;4,4;1,2", "fat-tree:2;4;1,2;1,2", "fat-tree:x;4;1;1", "fat-tree:0;;;",
        "fat-tree:2;65536,1;65536,1;1,1", "fat-tree:2;1,65536;65536,65536;1,1",
        "dragonfly:1,1;1,1;65536,1;1", "dragonfly:4;4;4;4", "dragonfly:1,1;1,1;1,1", ""}) {
    const std::string said = complaint(text);
    EXPECT_NE(said, "none") << text;
    EXPECT_EQ(said.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace verbena::simnic
