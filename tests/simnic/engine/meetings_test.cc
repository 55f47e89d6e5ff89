// Chaos in which those who are between two accesses wait for others: until they come, or for a
// while, and never longer than what comes after them can wait.
#include <gtest/gtest.h>

#include <string>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

SimOptions meeting(std::uint64_t seed, const std::string& probability) {
  SimOptions options;
  options.cores_per_node = 2;
  options.chaos = true;
  options.seed = seed;
  options.overrides.set("fabric.chaos_meet", probability);
  options.overrides.set("fabric.chaos_preempt", "0");
  options.overrides.set("fabric.chaos_interrupt_ns", "50000");
  options.overrides.set("fabric.chaos_jitter_ns", "10000");
  return options;
}

/// How long a core's step takes while the NIC reads the same memory from 10 us on, again and again.
Nanoseconds step_beside_reads(std::uint64_t seed, std::size_t read_at, std::size_t stepped_at) {
  VerbsCluster cluster(meeting(seed, "1"));
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  Nanoseconds taken{};
  cluster.run({{0,
                [&, qp = qp](Core& core) {
                  while (core.now() < 10'000_ns) core.idle(10'000_ns);
                  for (int i = 0; i < 30; ++i) {
                    ibv_sge to = a.piece(0, 8);
                    ASSERT_EQ(post(qp, read_request(&to, b, read_at)), 0);
                    await(core, a.cq);
                  }
                }},
               {1, [&](Core& core) {
                  const Nanoseconds begin = core.now();
                  core.step(&b.memory[stepped_at]);
                  taken = core.now() - begin;
                }}});
  return taken;
}

TEST(Meetings, ACoreWaitsForOneAccessOrSeveral) {
  int first = 0;
  int later = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Nanoseconds taken = step_beside_reads(seed, 0, 0);
    EXPECT_GT(taken, 10'000_ns) << "nobody had come";
    EXPECT_LT(taken, 51'000_ns);
    (taken < 14'000_ns ? first : later) += 1;
  }
  EXPECT_GT(first, 3);
  EXPECT_GT(later, 3);
}

TEST(Meetings, ACoreGoesOnAfterAWhileWhenNobodyComesThere) {
  const Nanoseconds taken = step_beside_reads(1, 8192, 0);
  EXPECT_GE(taken, 50'000_ns);
  EXPECT_LT(taken, 51'000_ns);
}

/// How long a READ of several lines takes while a core accesses `stepped_at`, again and again.
Nanoseconds read_beside_steps(std::uint64_t seed, std::size_t stepped_at) {
  SimOptions options = meeting(seed, "0.3");
  options.overrides.set("fabric.chaos_interrupt_ns", "500");
  VerbsCluster cluster(options);
  ibv_qp* qp = cluster.connected(0, 1).first;
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  Nanoseconds taken{};
  cluster.run({{0,
                [&](Core& core) {
                  const Nanoseconds begin = core.now();
                  ibv_sge to = a.piece(0, 256);
                  ASSERT_EQ(post(qp, read_request(&to, b, 0)), 0);
                  await(core, a.cq);
                  taken = core.now() - begin;
                }},
               {1, [&](Core& core) {
                  while (core.now() < 20'000_ns) {
                    core.step(&b.memory[stepped_at]);
                    core.idle(core.now() + 100_ns);
                  }
                }}});
  return taken;
}

TEST(Meetings, ARequestWaitsBetweenItsLinesNoLongerThanItsJitter) {
  // Without what a READ takes anyway.
  constexpr Nanoseconds kLeast = 4'000_ns;
  int waited = 0;
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Nanoseconds alone = read_beside_steps(seed, 8192);
    EXPECT_LT(alone, kLeast + 10'500_ns);
    waited += alone > kLeast + 9'500_ns ? 1 : 0;
    met += read_beside_steps(seed, 0) < alone ? 1 : 0;
  }
  EXPECT_GT(waited, 20);
  EXPECT_GT(met, 5);
}

// Two WRITEs of one queue pair: the second never shows where the first does not.
TEST(Meetings, WritesStillTakeEffectOneAfterTheOther) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    VerbsCluster cluster(meeting(seed, "0.5"));
    const auto [qp, peer] = cluster.connected(0, 1);
    VerbsNode& a = cluster.node(0);
    VerbsNode& b = cluster.node(1);
    bool writing = true;
    cluster.run({{0,
                  [&, qp = qp](Core& core) {
                    for (std::uint64_t i = 1; i <= 10; ++i) {
                      for (std::size_t k = 0; k < 8; ++k) a.at<std::uint64_t>(k * 64) = i;
                      a.at<std::uint64_t>(1024) = i;
                      ibv_sge lines = a.piece(0, 512);
                      ibv_sge word = a.piece(1024, 8);
                      ASSERT_EQ(post(qp, write_request(&lines, b, 0)), 0);
                      ASSERT_EQ(post(qp, write_request(&word, b, 1024)), 0);
                      await(core, a.cq, 2);
                    }
                    writing = false;
                  }},
                 {1, [&](Core& core) {
                    while (writing) {
                      const auto last = b.at<std::uint64_t>(1024);
                      for (std::size_t k = 0; k < 8; ++k) {
                        EXPECT_GE(b.at<std::uint64_t>(k * 64), last);
                      }
                      core.idle(core.now() + 60_ns);
                    }
                  }}});
  }
}

}  // namespace
}  // namespace verbena::simnic
