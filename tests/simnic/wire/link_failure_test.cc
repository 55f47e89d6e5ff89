// Links that fail in SimGrid: requests are tried again, executed once, and given up when it lasts.
#include <gtest/gtest.h>

#include <simgrid/s4u.hpp>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

simgrid::s4u::Link* link(const char* name) { return simgrid::s4u::Link::by_name(name); }

/// Node 0 adds 1 to a word of node 1, by a connection that is warm, while `name` is down until
/// `up_again`.
ibv_wc_status add_while_down(VerbsCluster& cluster, const char* name, Nanoseconds up_again) {
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  ibv_wc_status status = IBV_WC_GENERAL_ERR;
  cluster.run({{0,
                [&, qp = qp](Core& core) {
                  ibv_sge found = a.piece(0, 8);
                  const ibv_send_wr add = fetch_and_add_request(&found, cluster.node(1), 0, 1);
                  ASSERT_EQ(post(qp, add), 0);
                  ASSERT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                  link(name)->turn_off();
                  ASSERT_EQ(post(qp, add), 0);
                  status = await(core, a.cq).front().status;
                }},
               {1, [&](Core& core) {
                  core.idle(up_again);
                  link(name)->turn_on();
                }}});
  return status;
}

TEST(LinkFailure, ARequestThatIsLostIsSentAgain) {
  VerbsCluster cluster;
  EXPECT_EQ(add_while_down(cluster, "cable-node-1_DOWN", 12'000_ns), IBV_WC_SUCCESS);
  EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 2U);
  EXPECT_GE(cluster.counter(0, "retries"), 1U);
}

TEST(LinkFailure, ARequestWhoseResponseIsLostIsExecutedOnce) {
  VerbsCluster cluster;
  EXPECT_EQ(add_while_down(cluster, "cable-node-1_UP", 12'000_ns), IBV_WC_SUCCESS);
  EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 2U);
  EXPECT_EQ(cluster.node(0).at<std::uint64_t>(0), 1U) << "what the first execution found";
  EXPECT_EQ(cluster.counter(0, "retries"), 1U);
}

// Their responses are lost in another order than they were sent in. A queue pair has one timer, so
// each time that it ends counts once, and all is sent again from the oldest on.
TEST(LinkFailure, SeveralRequestsThatAreLostAreTriedAgainTogether) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  cluster.run({{0,
                [&, qp = qp](Core& core) {
                  ibv_sge found = a.piece(0, 8);
                  ibv_sge written = a.piece(8, 8);
                  ibv_sge read = a.piece(4096, 32'768);
                  const ibv_send_wr add = fetch_and_add_request(&found, cluster.node(1), 0, 1);
                  ASSERT_EQ(post(qp, add), 0);
                  ASSERT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                  link("cable-node-1_UP")->turn_off();
                  ASSERT_EQ(post(qp, read_request(&read, cluster.node(1), 4096)), 0);
                  ASSERT_EQ(post(qp, add), 0);
                  ASSERT_EQ(post(qp, write_request(&written, cluster.node(1), 8)), 0);
                  for (const ibv_wc& completion : await(core, a.cq, 3)) {
                    EXPECT_EQ(completion.status, IBV_WC_SUCCESS);
                  }
                }},
               {1, [&](Core& core) {
                  core.idle(20'000_ns);
                  link("cable-node-1_UP")->turn_on();
                }}});
  EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 2U);
  EXPECT_EQ(cluster.counter(0, "retries"), 2U);
}

/// Idles for a time, whatever comes.
void pass(Core& core, Nanoseconds duration) {
  const Nanoseconds end = core.now() + duration;
  while (core.now() < end) core.idle(end);
}

// A READ's response is lost. When its timer ends, another request has arrived and has perhaps not
// taken effect yet: it is sent again with the READ, and takes effect once.
TEST(LinkFailure, WhatIsOnItsWayWhenATimerEndsIsExecutedOnce) {
  for (const bool chaos : {false, true}) {
    for (int delay = 1800; delay < 3600; delay += 40) {
      SimOptions options;
      options.chaos = chaos;
      VerbsCluster cluster(options);
      const auto [qp, peer] = cluster.connected(0, 1);
      VerbsNode& a = cluster.node(0);
      cluster.run({{0, [&, qp = qp](Core& core) {
                      ibv_sge found = a.piece(0, 8);
                      ibv_sge read = a.piece(16, 8);
                      const ibv_send_wr add = fetch_and_add_request(&found, cluster.node(1), 0, 1);
                      ASSERT_EQ(post(qp, add), 0);
                      await(core, a.cq);
                      link("cable-node-1_UP")->turn_off();
                      ASSERT_EQ(post(qp, read_request(&read, cluster.node(1), 4096)), 0);
                      pass(core, 5000_ns);
                      link("cable-node-1_UP")->turn_on();
                      pass(core, Nanoseconds(delay));
                      ASSERT_EQ(post(qp, add), 0);
                      EXPECT_EQ(await_for(core, a.cq, kMillisecond).size(), 2U) << delay;
                    }}});
      EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 2U) << delay;
      EXPECT_EQ(cluster.node(0).at<std::uint64_t>(0), 1U) << "what the second found, " << delay;
    }
  }
}

/// A READ whose response is lost: its timer ends some 8 us after.
void lose_a_response(Core& core, VerbsCluster& cluster, ibv_qp* qp, Nanoseconds down) {
  ibv_sge read = cluster.node(0).piece(16, 8);
  link("cable-node-1_UP")->turn_off();
  ASSERT_EQ(post(qp, read_request(&read, cluster.node(1), 4096)), 0);
  pass(core, down);
  link("cable-node-1_UP")->turn_on();
}

// A request that is sent again with a lost READ is lost once more; one that is posted then has to
// wait for it.
TEST(LinkFailure, WhatIsSentAgainAndLostIsNotOvertaken) {
  for (int delay = 1800; delay < 3600; delay += 40) {
    VerbsCluster cluster;
    const auto [qp, peer] = cluster.connected(0, 1);
    VerbsNode& a = cluster.node(0);
    a.at<std::uint64_t>(64) = 1;
    a.at<std::uint64_t>(72) = 2;
    cluster.run({{0, [&, qp = qp](Core& core) {
                    ibv_sge first = a.piece(64, 8);
                    ibv_sge second = a.piece(72, 8);
                    ASSERT_EQ(post(qp, write_request(&first, cluster.node(1), 8)), 0);
                    await(core, a.cq);
                    lose_a_response(core, cluster, qp, 5000_ns);
                    pass(core, Nanoseconds(delay));
                    ASSERT_EQ(post(qp, write_request(&first, cluster.node(1), 0)), 0);
                    pass(core, 700_ns);
                    link("cable-node-1_DOWN")->turn_off();
                    pass(core, 3000_ns);
                    link("cable-node-1_DOWN")->turn_on();
                    ASSERT_EQ(post(qp, write_request(&second, cluster.node(1), 0)), 0);
                    EXPECT_EQ(await_for(core, a.cq, kMillisecond).size(), 3U) << delay;
                  }}});
    EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 2U) << delay;
  }
}

// Its timer ends while a message behind it waits for a receive.
TEST(LinkFailure, OfAResponseDoesNotEndWithTheWaitForAReceiveBehindIt) {
  for (const int posted_us : {20, 100}) {
    VerbsCluster cluster;
    const auto [qp, peer] = cluster.connected(0, 1, {}, {.rnr_timer = 5});
    VerbsNode& a = cluster.node(0);
    cluster.run({{0,
                  [&, qp = qp](Core& core) {
                    ibv_sge sent = a.piece(0, 8);
                    const ibv_send_wr message = send_request(&sent);
                    lose_a_response(core, cluster, qp, 5000_ns);
                    ASSERT_EQ(post(qp, message), 0);
                    EXPECT_EQ(await_for(core, a.cq, kMillisecond).size(), 2U);
                  }},
                 {1, [&, peer = peer](Core& core) {
                    pass(core, posted_us * kMicrosecond);
                    post_receive(peer, cluster.node(1).piece(0, 64));
                  }}});
  }
}

// Its timer ends after a request behind it was refused, and before that is told.
TEST(LinkFailure, OfAResponseDoesNotHideTheErrorBehindIt) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  std::vector<ibv_wc> completions;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_sge piece = a.piece(0, 8);
                  ibv_send_wr forbidden = write_request(&piece, cluster.node(1), 0);
                  forbidden.wr.rdma.rkey ^= 0xff00;
                  lose_a_response(core, cluster, qp, 5000_ns);
                  ASSERT_EQ(post(qp, forbidden), 0);
                  completions = await_for(core, a.cq, kMillisecond);
                }}});
  ASSERT_EQ(completions.size(), 2U);
  EXPECT_NE(completions[1].status, IBV_WC_SUCCESS);
}

// The responder says that a request is missing as soon as the next one arrives.
TEST(LinkFailure, IsNoticedBeforeTheTimerByWhatFollows) {
  VerbsCluster cluster;
  constexpr std::uint8_t kFourMilliseconds = 10;
  const auto [qp, peer] = cluster.connected(0, 1, {}, {.timeout = kFourMilliseconds});
  VerbsNode& a = cluster.node(0);
  Nanoseconds waited = 0;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_sge found = a.piece(0, 8);
                  const ibv_send_wr add = fetch_and_add_request(&found, cluster.node(1), 0, 1);
                  ASSERT_EQ(post(qp, add), 0);
                  await(core, a.cq);
                  link("cable-node-1_DOWN")->turn_off();
                  ASSERT_EQ(post(qp, add), 0);
                  pass(core, 5000_ns);
                  link("cable-node-1_DOWN")->turn_on();
                  const Nanoseconds up = core.now();
                  ASSERT_EQ(post(qp, add), 0);
                  ASSERT_EQ(post(qp, add), 0);
                  await(core, a.cq, 3);
                  waited = core.now() - up;
                }}});
  EXPECT_LT(waited, 10'000_ns);
  EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 4U);
  EXPECT_EQ(cluster.counter(1, "naks"), 1U);
  EXPECT_EQ(cluster.counter(0, "retries"), 1U);
}

TEST(LinkFailure, ThatLastsIsAnError) {
  VerbsCluster cluster;
  EXPECT_EQ(add_while_down(cluster, "cable-node-0_UP", 100'000_ns), IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 1U);
}

// Packets of requests, responses and negative acknowledgements, four requests on their way at a
// time.
TEST(LostPackets, AreSentAgainUntilEachRequestIsExecutedOnceAndInOrder) {
  SimOptions options;
  options.overrides.set("fabric.rc_loss", "0.1");
  VerbsCluster cluster(options);
  const auto [qp, peer] = cluster.connected(0, 1, {}, {.retry = 7});
  VerbsNode& a = cluster.node(0);
  constexpr std::uint32_t kRounds = 100;
  constexpr std::uint32_t kAtOnce = 4;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  for (std::uint64_t round = 0; round < kRounds; ++round) {
                    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
                      ibv_sge found = a.piece(8 * i, 8);
                      ASSERT_EQ(post(qp, fetch_and_add_request(&found, cluster.node(1), 0, 1)), 0);
                    }
                    for (const ibv_wc& completion : await(core, a.cq, kAtOnce)) {
                      ASSERT_EQ(completion.status, IBV_WC_SUCCESS);
                    }
                    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
                      ASSERT_EQ(a.at<std::uint64_t>(8 * i), kAtOnce * round + i);
                    }
                  }
                }}});
  const std::uint64_t lost = cluster.counter(0, "rc_losses") + cluster.counter(1, "rc_losses");
  EXPECT_GT(lost, kRounds * kAtOnce / 10);
  EXPECT_LT(lost, kRounds * kAtOnce / 2);
  EXPECT_GT(cluster.counter(0, "rc_losses"), 0U) << "requests";
  EXPECT_GT(cluster.counter(1, "rc_losses"), 0U) << "responses, or negative acknowledgements";
  EXPECT_GT(cluster.counter(1, "naks"), 0U);
}

TEST(LinkFailure, ASlowerLinkSlowsLargeTransfers) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1);
  VerbsNode& a = cluster.node(0);
  Nanoseconds fast = 0;
  Nanoseconds slow = 0;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_sge to = a.piece(0, 32'768);
                  for (Nanoseconds* duration : {&fast, &fast, &slow}) {
                    if (duration == &slow) link("cable-node-0_DOWN")->set_bandwidth(1.25e9);
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                    await(core, a.cq);
                    *duration = core.now() - start;
                  }
                }}});
  EXPECT_GT(slow, fast + 20'000_ns) << "a tenth of 100 Gb/s";
}

}  // namespace
}  // namespace verbena::simnic
