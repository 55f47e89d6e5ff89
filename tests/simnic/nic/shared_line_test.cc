// The cost for cores of taking a cache line from each other.
#include "rdma/seam/shared_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;
using rdma::SharedLine;

constexpr Nanoseconds kNear = 50_ns;
constexpr Nanoseconds kFar = 110_ns;

// One node, whose sockets have two cores each.
SimOptions cores(std::uint32_t count) {
  SimOptions options;
  options.cores_per_node = count;
  options.overrides.set("cpu.cores_per_socket", "2");
  options.overrides.set("cpu.line_transfer_ns", "50");
  options.overrides.set("cpu.far_line_transfer_ns", "110");
  return options;
}

TEST(SharedLine, CostsNothingWhileOneCoreHasIt) {
  VerbsCluster cluster(cores(1));
  SharedLine line;
  cluster.run({{0, [&](Core& core) {
                  for (int i = 0; i < 10; ++i) core.change(line, 1);
                  core.look(line);
                  EXPECT_EQ(core.now(), 0_ns);
                }}});
}

// The first core changes it at once, the others a microsecond apart.
TEST(SharedLine, ComesFromTheCoreThatChangedItLast) {
  VerbsCluster cluster(cores(3));
  SharedLine line;
  cluster.run({{0, [&](Core& core) { core.change(line, 1); }},
               {0,
                [&](Core& core) {
                  core.idle(1'000_ns);
                  core.look(line);
                  EXPECT_EQ(core.now(), 1'000_ns + kNear) << "same socket";
                  core.change(line, 3);
                  EXPECT_EQ(core.now(), 1'000_ns + 4 * kNear) << "three lines";
                  core.change(line, 3);
                  EXPECT_EQ(core.now(), 1'000_ns + 4 * kNear) << "it has them";
                }},
               {0, [&](Core& core) {
                  core.idle(2'000_ns);
                  core.change(line, 1);
                  EXPECT_EQ(core.now(), 2'000_ns + kFar) << "other socket";
                }}});
}

TEST(SharedLine, WhoComesLaterWaitsForHisTurn) {
  VerbsCluster cluster(cores(4));
  SharedLine line;
  std::vector<Nanoseconds> had;
  const auto change = [&](Core& core) {
    core.idle(1'000_ns);
    core.change(line, 1);
    had.push_back(core.now());
  };
  cluster.run({{0, change}, {0, change}, {0, change}, {0, change}});
  std::ranges::sort(had);
  EXPECT_EQ(had, (std::vector<Nanoseconds>{1'000_ns, 1'000_ns + kNear, 1'000_ns + kNear + kFar,
                                           1'000_ns + 2 * kNear + kFar}));
}

TEST(SharedLine, WhatACoreDoesWithItIsDoneAtItsTurn) {
  VerbsCluster cluster(cores(3));
  SharedLine line;
  int changed = 0;
  const auto change = [&](Core& core) {
    core.idle(1'000_ns);
    core.change(line, 1);
    ++changed;
  };
  cluster.run({{0, change}, {0, change}, {0, [&](Core& core) {
                                            core.idle(1'000_ns + kNear / 2);
                                            EXPECT_EQ(changed, 1);
                                            core.idle(1'000_ns + 2 * kNear);
                                            EXPECT_EQ(changed, 2);
                                          }}});
}

// However many cores there are, the line serves one after the other: 3 of 4 come from elsewhere.
TEST(SharedLine, BoundsHowOftenCoresChangeIt) {
  constexpr Nanoseconds kEnd = 100'000_ns;
  const auto changes = [&](std::uint32_t workers) {
    VerbsCluster cluster(cores(workers));
    SharedLine line;
    std::uint64_t count = 0;
    std::vector<std::pair<NodeId, std::function<void(Core&)>>> bodies;
    for (std::uint32_t w = 0; w < workers; ++w) {
      bodies.emplace_back(0, [&](Core& core) {
        while (core.now() < kEnd) {
          core.spend(rdma::Work::kIndexProbe);
          core.change(line, 1);
          ++count;
        }
      });
    }
    cluster.run(bodies);
    return count;
  };
  const std::uint64_t near = changes(2);
  const std::uint64_t far = changes(4);
  EXPECT_LT(near, static_cast<std::uint64_t>(kEnd / kNear) + 2);
  EXPECT_GT(near, static_cast<std::uint64_t>(kEnd / kNear) / 2);
  EXPECT_LT(far, near) << "more cores have to bring it farther";
}

}  // namespace
}  // namespace verbena::simnic
