// Chaos mode shows what the fast mode merges: torn payloads, RNIC atomics against the CPU,
// preemption.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

SimOptions mode(bool chaos, std::uint64_t seed) {
  SimOptions options;
  options.cores_per_node = 2;
  options.chaos = chaos;
  options.seed = seed;
  return options;
}

/// Node 0 reads 512 bytes again and again while a core of node 1 overwrites them with one value
/// after another in no time; how many of the reads saw two values.
std::size_t torn_reads(bool chaos, std::uint32_t bytes) {
  VerbsCluster cluster(mode(chaos, 3));
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  std::size_t torn = 0;
  bool reading = true;
  cluster.run({{0,
                [&, qp = qp](Core& core) {
                  for (int i = 0; i < 200; ++i) {
                    ibv_sge to = a.piece(0, bytes);
                    ASSERT_EQ(post(qp, read_request(&to, b, 0)), 0);
                    await(core, a.cq);
                    const std::byte* first = a.memory.data();
                    const bool whole = std::all_of(
                        first, first + bytes, [first](std::byte one) { return one == *first; });
                    torn += whole ? 0 : 1;
                  }
                  reading = false;
                }},
               {1, [&](Core& core) {
                  for (unsigned value = 0; reading; ++value) {
                    std::fill_n(b.memory.data(), bytes, static_cast<std::byte>(value));
                    core.idle(core.now() + 70_ns);
                  }
                }}});
  return torn;
}

TEST(Chaos, ReadsOfSeveralCacheLinesCanBeTorn) {
  EXPECT_EQ(torn_reads(false, 512), 0U);
  EXPECT_GT(torn_reads(true, 512), 20U);
}

// A compare-and-swap that fails takes its time, and what follows does not overtake it.
TEST(Chaos, AnswersComeInTheOrderOfTheirRequests) {
  SimOptions options = mode(true, 1);
  options.overrides.set("fabric.chaos_jitter_ns", "1");
  VerbsCluster cluster(options);
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_sge found = a.piece(0, 8);
                  ibv_sge to = a.piece(64, 8);
                  for (int i = 0; i < 10'000; ++i) {
                    const ibv_send_wr swap =
                        compare_and_swap_request(&found, cluster.node(1), 0, 1, 2);
                    ASSERT_EQ(post(qp, swap), 0);
                    ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 64)), 0);
                    for (const ibv_wc& one : await(core, a.cq, 2)) {
                      ASSERT_EQ(one.status, IBV_WC_SUCCESS);
                    }
                  }
                }}});
  EXPECT_EQ(cluster.counter(0, "retries"), 0U);
}

TEST(Chaos, ReadsWithinACacheLineAreWhole) { EXPECT_EQ(torn_reads(true, 64), 0U); }

TEST(Chaos, WritesBecomeVisibleFromTheLowestLineUpwards) {
  VerbsCluster cluster(mode(true, 5));
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  std::size_t partial = 0;
  bool writing = true;
  cluster.run({{0,
                [&, qp = qp](Core& core) {
                  for (std::uint64_t i = 1; i <= 100; ++i) {
                    for (std::size_t k = 0; k < 16; ++k) a.at<std::uint64_t>(k * 64) = i;
                    ibv_sge from = a.piece(0, 1024);
                    ASSERT_EQ(post(qp, write_request(&from, b, 0)), 0);
                    await(core, a.cq);
                  }
                  writing = false;
                }},
               {1, [&](Core& core) {
                  while (writing) {
                    for (std::size_t k = 1; k < 16; ++k) {
                      EXPECT_LE(b.at<std::uint64_t>(k * 64), b.at<std::uint64_t>((k - 1) * 64));
                    }
                    partial += b.at<std::uint64_t>(0) != b.at<std::uint64_t>(15 * 64) ? 1 : 0;
                    core.idle(core.now() + 60_ns);
                  }
                }}});
  EXPECT_GT(partial, 10U);
}

/// Node 0 adds by RNIC, node 1 by CPU, both 300 times, to one word; what is missing at the end.
std::uint64_t lost_updates(bool chaos) {
  VerbsCluster cluster(mode(chaos, 11));
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  cluster.run({{0,
                [&, qp = qp](Core& core) {
                  for (int i = 0; i < 300; ++i) {
                    ibv_sge found = a.piece(0, 8);
                    ASSERT_EQ(post(qp, fetch_and_add_request(&found, b, 0, 1)), 0);
                    await(core, a.cq);
                  }
                }},
               {1, [&](Core& core) {
                  for (int i = 0; i < 300; ++i) {
                    b.at<std::uint64_t>(0) += 1;
                    core.idle(core.now() + 1'900_ns);
                  }
                }}});
  return 600 - b.at<std::uint64_t>(0);
}

TEST(Chaos, AtomicsOfTheNicAreNotAtomicAgainstTheCpu) {
  EXPECT_EQ(lost_updates(false), 0U);
  EXPECT_GT(lost_updates(true), 5U);
}

/// Nodes 0 to 2 add to a word of node 3, each 200 times; its value in the end.
std::uint64_t added_by_three_nodes(const char* meet) {
  SimOptions options = mode(true, 13);
  options.nodes = 4;
  options.overrides.set("fabric.chaos_meet", meet);
  VerbsCluster cluster(options);
  VerbsNode& target = cluster.node(3);
  std::vector<std::pair<NodeId, std::function<void(Core&)>>> bodies;
  for (NodeId node = 0; node < 3; ++node) {
    ibv_qp* qp = cluster.connected(node, 3).first;
    bodies.emplace_back(node, [&, node, qp](Core& core) {
      VerbsNode& own = cluster.node(node);
      for (int i = 0; i < 200; ++i) {
        ibv_sge found = own.piece(0, 8);
        ASSERT_EQ(post(qp, fetch_and_add_request(&found, target, 0, 1)), 0);
        await(core, own.cq);
      }
    });
  }
  cluster.run(bodies);
  return target.at<std::uint64_t>(0);
}

TEST(Chaos, AtomicsOfOneNicAreAtomicAmongThemselves) {
  EXPECT_EQ(added_by_three_nodes("0"), 600U);
  EXPECT_EQ(added_by_three_nodes("0.5"), 600U) << "they wait between their read and their write";
}

TEST(Chaos, AccountingForWorkMayLetOthersRun) {
  const auto interleaved = [](bool chaos) {
    VerbsCluster cluster(mode(chaos, 17));
    std::vector<int> order;
    const auto body = [&order](int self) {
      return [&order, self](Core& core) {
        for (int i = 0; i < 100; ++i) {
          order.push_back(self);
          core.spend(rdma::Work::kIndexProbe);
        }
      };
    };
    cluster.run({{0, body(0)}, {0, body(1)}});
    std::size_t changes = 0;
    for (std::size_t i = 1; i < order.size(); ++i) changes += order[i] != order[i - 1] ? 1 : 0;
    return changes;
  };
  EXPECT_EQ(interleaved(false), 1U);
  EXPECT_GT(interleaved(true), 3U);
}

}  // namespace
}  // namespace verbena::simnic
