// Packets that are lost: each request of a reliable connection is executed once, in order, and what
// is missing is noticed as early as acknowledgements tell it.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <simgrid/s4u.hpp>
#include <vector>

#include "rdma/base/random.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

SimOptions losing(const char* fraction, std::uint64_t seed = 1) {
  SimOptions options;
  options.seed = seed;
  options.overrides.set("fabric.rc_loss", fraction);
  return options;
}

/// Posts a mix of requests and follows what each must find: node 1's word 0 is added to, its word
/// 64 is written and read.
class MixedRequests {
 public:
  MixedRequests(VerbsCluster& cluster, ibv_qp* qp, std::uint64_t seed)
      : cluster_(cluster), qp_(qp), draw_(seed) {}

  /// Posts request number `i` of a round, with a place of its own for what it finds.
  void post_one(std::uint32_t i) {
    VerbsNode& a = cluster_.node(0);
    VerbsNode& b = cluster_.node(1);
    std::uint64_t& place = a.at<std::uint64_t>(64 * i);
    ibv_sge piece = a.piece(64 * i, 8);
    switch (draw_.below(4)) {
      case 0:
        expected_[i] = adds_++;
        ASSERT_EQ(post(qp_, fetch_and_add_request(&piece, b, 0, 1)), 0);
        return;
      case 1:
        place = written_ = ++values_;
        expected_[i] = place;
        ASSERT_EQ(post(qp_, write_request(&piece, b, 64)), 0);
        return;
      case 2:
        place = sent_++;
        expected_[i] = place;
        ASSERT_EQ(post(qp_, send_request(&piece)), 0);
        return;
      default:
        // One that is repeated may find what later requests have written.
        at_least_[i] = written_;
        ASSERT_EQ(post(qp_, read_request(&piece, b, 64)), 0);
    }
  }
  void check_round() {
    for (const auto& [i, value] : expected_) {
      EXPECT_EQ(cluster_.node(0).at<std::uint64_t>(64 * i), value) << "request " << i;
    }
    for (const auto& [i, value] : at_least_) {
      EXPECT_GE(cluster_.node(0).at<std::uint64_t>(64 * i), value) << "request " << i;
      EXPECT_LE(cluster_.node(0).at<std::uint64_t>(64 * i), written_) << "request " << i;
    }
    expected_.clear();
    at_least_.clear();
  }
  std::uint64_t adds() const { return adds_; }
  std::uint64_t sent() const { return sent_; }

 private:
  VerbsCluster& cluster_;
  ibv_qp* qp_;
  SplitMix draw_;
  std::map<std::uint32_t, std::uint64_t> expected_;  ///< by request of the round
  std::map<std::uint32_t, std::uint64_t> at_least_;
  std::uint64_t adds_ = 0;
  std::uint64_t values_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t sent_ = 0;
};

/// Receives SENDs that count up from 0 until none comes for a while; returns how many came.
std::uint64_t receive_in_order(Core& core, VerbsNode& node, ibv_qp* qp) {
  constexpr int kPatience = 100;
  std::uint64_t received = 0;
  for (int silent = 0; silent < kPatience; ++silent) {
    for (const ibv_wc& one : await_for(core, node.cq, 20 * kMicrosecond)) {
      const std::size_t place = 4096 + 64 * one.wr_id;
      EXPECT_EQ(node.at<std::uint64_t>(place), received++);
      EXPECT_EQ(post_receive(qp, node.piece(place, 64), one.wr_id), 0);
      silent = 0;
    }
  }
  return received;
}

void mix_with_losses(bool chaos, std::uint64_t seed) {
  constexpr std::uint32_t kRounds = 60;
  constexpr std::uint32_t kAtOnce = 8;
  constexpr std::uint32_t kReceives = 32;
  SimOptions options = losing("0.05", seed);
  options.chaos = chaos;
  VerbsCluster cluster(options);
  const auto [qp, peer] =
      cluster.connected(0, 1, {}, {.rnr_timer = 1, .retry = 7, .psn = 0xff'ffff - 20});
  VerbsNode& b = cluster.node(1);
  for (std::uint32_t i = 0; i < kReceives; ++i) {
    ASSERT_EQ(post_receive(peer, b.piece(4096 + 64 * i, 64), i), 0);
  }
  MixedRequests mixed(cluster, qp, seed);
  std::uint64_t received = 0;
  cluster.run({{0,
                [&](Core& core) {
                  for (std::uint32_t round = 0; round < kRounds; ++round) {
                    for (std::uint32_t i = 0; i < kAtOnce; ++i) mixed.post_one(i);
                    for (const ibv_wc& one : await(core, cluster.node(0).cq, kAtOnce)) {
                      ASSERT_EQ(one.status, IBV_WC_SUCCESS);
                    }
                    mixed.check_round();
                  }
                }},
               {1, [&, peer = peer](Core& core) { received = receive_in_order(core, b, peer); }}});
  EXPECT_EQ(b.at<std::uint64_t>(0), mixed.adds());
  EXPECT_EQ(received, mixed.sent());
  EXPECT_GT(cluster.counter(0, "rc_losses"), 0U);
  EXPECT_GT(cluster.counter(1, "rc_losses"), 0U);
}

TEST(LostPackets, OfAllKindsOfRequestsLoseNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    mix_with_losses(false, seed);
    mix_with_losses(true, seed);
  }
}

/// Time that `requests` of one kind and a later one take, when the answers of all but the last are
/// lost and the timer ends after 4 ms.
Nanoseconds answered_in(VerbsCluster& cluster, std::uint32_t requests, bool reads) {
  constexpr std::uint8_t kFourMilliseconds = 10;
  const auto [qp, peer] = cluster.connected(0, 1, {}, {.timeout = kFourMilliseconds});
  Nanoseconds took = 0;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  VerbsNode& a = cluster.node(0);
                  ibv_sge piece = a.piece(0, 8);
                  const ibv_send_wr request = reads ? read_request(&piece, cluster.node(1), 0)
                                                    : write_request(&piece, cluster.node(1), 0);
                  auto* link = simgrid::s4u::Link::by_name("cable-node-1_UP");
                  ASSERT_EQ(post(qp, request), 0);
                  await(core, a.cq);
                  const Nanoseconds start = core.now();
                  link->turn_off();
                  for (std::uint32_t i = 0; i < requests; ++i) ASSERT_EQ(post(qp, request), 0);
                  EXPECT_TRUE(await_for(core, a.cq, 10 * kMicrosecond).empty());
                  link->turn_on();
                  ASSERT_EQ(post(qp, request), 0);
                  for (const ibv_wc& one : await(core, a.cq, requests + 1)) {
                    EXPECT_EQ(one.status, IBV_WC_SUCCESS);
                  }
                  took = core.now() - start;
                }}});
  return took;
}

TEST(LostAnswers, OfWritesAreMadeUpForByTheNext) {
  VerbsCluster cluster;
  EXPECT_LT(answered_in(cluster, 4, false), 20 * kMicrosecond);
  EXPECT_EQ(cluster.counter(0, "retries"), 0U);
}

TEST(LostAnswers, WithDataAreAskedForAgainWhenTheNextComes) {
  VerbsCluster cluster;
  EXPECT_LT(answered_in(cluster, 4, true), 20 * kMicrosecond);
  EXPECT_EQ(cluster.counter(0, "retries"), 1U);
}

}  // namespace
}  // namespace verbena::simnic
