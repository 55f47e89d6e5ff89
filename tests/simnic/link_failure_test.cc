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

TEST(LinkFailure, ThatLastsIsAnError) {
  VerbsCluster cluster;
  EXPECT_EQ(add_while_down(cluster, "cable-node-0_UP", 100'000_ns), IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(cluster.node(1).at<std::uint64_t>(0), 1U);
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
