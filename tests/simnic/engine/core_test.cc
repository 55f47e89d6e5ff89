// Cores: their clocks, idling, waking, deadlines, deadlock, exceptions, and runs after each other.
#include <gtest/gtest.h>

#include <atomic>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <utility>

#include "rdma/base/errors.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

SimOptions cores(std::uint32_t count) {
  SimOptions options;
  options.cores_per_node = count;
  return options;
}

TEST(SimulatedCore, TimeStartsAtZeroAndOnlyAccountedWorkMovesIt) {
  SimOptions options;
  options.overrides.set("cpu.index_probe_ns", "50");
  for (int round = 0; round < 2; ++round) {
    VerbsCluster cluster(options);
    cluster.run({{0, [](Core& core) {
                    EXPECT_EQ(core.now(), 0_ns);
                    core.spend(rdma::Work::kIndexProbe, 3);
                    EXPECT_EQ(core.now(), 150_ns);
                  }}});
  }
}

TEST(SimulatedCore, ThoseOfANodeAreOneActor) {
  SimOptions options = cores(3);
  options.nodes = 2;
  VerbsCluster cluster(options);
  const auto body = [](Core& core) {
    EXPECT_EQ(simgrid::s4u::Engine::get_instance()->get_actor_count(), 2U);
    core.idle(core.now() + 1'000_ns);
  };
  cluster.run({{0, body}, {0, body}, {0, body}, {1, body}});
  EXPECT_EQ(simgrid::s4u::Engine::get_instance()->get_actor_count(), 0U);
}

TEST(SimulatedCore, IdleEndsAtItsDeadline) {
  VerbsCluster cluster;
  cluster.run({{0, [](Core& core) {
                  core.idle(5'000_ns);
                  EXPECT_EQ(core.now(), 5'000_ns);
                  core.idle(7'000_ns);
                  EXPECT_EQ(core.now(), 7'000_ns);
                  core.idle(6'000_ns);
                  EXPECT_GE(core.now(), 7'000_ns) << "a deadline that has passed";
                  EXPECT_LT(core.now(), 7'100_ns);
                }}});
}

TEST(SimulatedCore, ALaterDeadlineDoesNotWaitForAnEarlierOneThatWasReplaced) {
  VerbsCluster cluster(cores(2));
  Core* sleeper = nullptr;
  cluster.run({{0,
                [&](Core& core) {
                  sleeper = &core;
                  core.idle(10'000_ns);
                  EXPECT_LT(core.now(), 2'000_ns) << "woken";
                  core.idle(3'000_ns);
                  EXPECT_EQ(core.now(), 3'000_ns);
                  core.idle(20'000_ns);
                  EXPECT_EQ(core.now(), 20'000_ns);
                }},
               {0, [&](Core& core) {
                  core.idle(1'000_ns);
                  sleeper->wake();
                }}});
}

TEST(SimulatedCore, AWakeBeforeIdleIsNotLost) {
  VerbsCluster cluster(cores(2));
  Core* other = nullptr;
  cluster.run({{0,
                [&](Core& core) {
                  other = &core;
                  core.spend(rdma::Work::kTransactionSetup, 100);
                  core.idle(kNever);
                }},
               {0, [&](Core&) { other->wake(); }}});
}

TEST(SimulatedCore, ACompletionWakesTheCoreThatPolledItsQueueLast) {
  VerbsCluster cluster(cores(2));
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  Nanoseconds first_woke{-1};
  Nanoseconds second_woke{-1};
  cluster.run({{0,
                [&](Core& core) {
                  ibv_wc wc;
                  ibv_poll_cq(a.cq, 1, &wc);
                  core.idle(500'000_ns);
                  first_woke = core.now();
                }},
               {0, [&, qp = qp](Core& core) {
                  core.idle(1'000_ns);
                  ibv_sge to = a.piece(0, 8);
                  ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                  await(core, a.cq);
                  second_woke = core.now();
                }}});
  EXPECT_LT(second_woke, 20'000_ns);
  EXPECT_EQ(first_woke, 500'000_ns);
}

TEST(SimulatedCore, APendingCompletionLetsIdleReturnAtOnce) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_wc wc;
                  EXPECT_EQ(ibv_poll_cq(a.cq, 1, &wc), 0);
                  ibv_sge to = a.piece(0, 8);
                  for (int i = 0; i < 2; ++i) {
                    ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                  }
                  core.idle(kNever);
                  core.idle(core.now() + 10'000_ns);
                  const Nanoseconds before = core.now();
                  core.idle(kNever);
                  EXPECT_LT(core.now() - before, 100_ns) << "nothing was polled";
                  await(core, a.cq, 2);
                }}});
}

TEST(SimulatedCore, LocalWorkDelaysWhatIsPostedAfterIt) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_sge to = a.piece(0, 8);
                  core.spend(rdma::Work::kTransactionSetup, 1000);
                  const Nanoseconds posted = core.now();
                  ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                  await(core, a.cq);
                  EXPECT_GT(core.now(), posted + 1'000_ns);
                  EXPECT_LT(core.now(), posted + 10'000_ns);
                }}});
}

TEST(SimulatedCore, CoresThatAllIdleForEverAreADeadlock) {
  VerbsCluster cluster;
  bool unwound = false;
  struct Unwinds {
    bool& flag;
    ~Unwinds() { flag = true; }
  };
  try {
    cluster.run({{0,
                  [&](Core& core) {
                    const Unwinds unwinds{unwound};
                    core.idle(2'000_ns);
                    core.idle(kNever);
                  }},
                 {1, [](Core& core) { core.idle(kNever); }}});
    FAIL() << "the run ended";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("deadlock at 2us"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(unwound);
}

TEST(SimulatedCore, AnExceptionEndsTheRunAndTheFabricStaysUsable) {
  VerbsCluster cluster;
  EXPECT_THROW(cluster.run({{0,
                             [](Core& core) {
                               core.idle(1'000_ns);
                               throw VerbsError("as expected");
                             }},
                            {1,
                             [](Core& core) {
                               while (true) core.idle(core.now() + 10_ns);
                             }}}),
               VerbsError);
  Nanoseconds start = 0;
  cluster.run({{0, [&](Core& core) { start = core.now(); }}});
  EXPECT_GE(start, 1'000_ns) << "time goes on from run to run";
}

TEST(SimulatedCore, RunsFollowEachOtherAndKeepWhatIsUnderWay) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  cluster.node(1).at<std::uint64_t>(0) = 5;
  cluster.run({{0, [&, qp = qp](Core&) {
                  ibv_sge to = a.piece(0, 8);
                  ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                }}});
  cluster.run({{0, [&](Core& core) {
                  EXPECT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                  EXPECT_EQ(a.at<std::uint64_t>(0), 5U);
                }}});
}

TEST(SimulatedCore, TasksMustFitTheCluster) {
  VerbsCluster cluster;
  EXPECT_THROW(cluster.run({{2, [](Core&) {}}}), ConfigurationError);
  EXPECT_THROW(cluster.run({{0, [](Core&) {}}, {0, [](Core&) {}}}), ConfigurationError);
  EXPECT_THROW(cluster.fabric().verbs(2), ConfigurationError);
}

TEST(SimulatedCore, ManyCoresRun) {
  SimOptions options;
  options.nodes = 50;
  options.cores_per_node = 24;
  auto fabric = make_sim_fabric(options);
  std::vector<rdma::CoreTask> tasks;
  std::atomic<std::size_t> done = 0;  // nodes may be simulated by different threads
  for (std::uint32_t i = 0; i < 50 * 24; ++i) {
    tasks.push_back(
        {static_cast<NodeId>(i / 24), static_cast<WorkerId>(i % 24), [&done, i](Core& core) {
           for (int k = 1; k < 10; ++k) core.idle(Nanoseconds(k * (100 + i)));
           ++done;
         }});
  }
  fabric->run(std::move(tasks));
  EXPECT_EQ(done, 1200U);
}

}  // namespace
}  // namespace verbena::simnic
