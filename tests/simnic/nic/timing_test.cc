// Costs of requests: orderings that every RNIC shows, and the latencies and rates of ConnectX-4.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

/// How long one request takes on a warm connection, from before it is posted until it is polled.
Nanoseconds latency(VerbsCluster& cluster, ibv_qp* qp, ibv_send_wr wr) {
  Nanoseconds result = 0;
  cluster.run({{0, [&](Core& core) {
                  for (int round = 0; round < 2; ++round) {
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(qp, wr), 0);
                    ASSERT_EQ(await(core, cluster.node(0).cq).front().status, IBV_WC_SUCCESS);
                    result = core.now() - start;
                  }
                }}});
  return result;
}

class Timing : public ::testing::Test {
 protected:
  VerbsCluster cluster_;
  VerbsNode& a_ = cluster_.node(0);
  VerbsNode& b_ = cluster_.node(1);
};

TEST_F(Timing, AReadOf64BytesTakesAboutTwoMicroseconds) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_sge to = a_.piece(0, 64);
  const Nanoseconds read = latency(cluster_, qp, read_request(&to, b_, 0));
  EXPECT_GE(read, 1'500_ns);
  EXPECT_LE(read, 2'300_ns);
}

TEST_F(Timing, LargerPayloadsTakeLongerAtTheRateOfTheWire) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  Nanoseconds last = 0;
  for (const std::uint32_t bytes : {8U, 512U, 4096U, 32768U}) {
    ibv_sge to = a_.piece(0, bytes);
    const Nanoseconds read = latency(cluster_, qp, read_request(&to, b_, 0));
    EXPECT_GT(read, last) << bytes;
    last = read;
  }
  EXPECT_GT(last, 1'500_ns + 32768 * 8_ns / 100) << "100 Gb/s";
}

// Memory, wire and memory work on its packets at the same time: 32 KiB are eight.
TEST_F(Timing, ALongMessagePaysTheSlowestStationNotAllOfThem) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_sge small = a_.piece(0, 4096);
  ibv_sge large = a_.piece(0, 32'768);
  const Nanoseconds on_the_wire = (32'768 - 4096) * 8_ns / 100;
  for (const bool reads : {true, false}) {
    const auto request = [&](ibv_sge* piece) {
      return reads ? read_request(piece, b_, 0) : write_request(piece, b_, 0);
    };
    const Nanoseconds more =
        latency(cluster_, qp, request(&large)) - latency(cluster_, qp, request(&small));
    EXPECT_GT(more, on_the_wire) << (reads ? "READ" : "WRITE");
    EXPECT_LT(more, on_the_wire * 5 / 4) << (reads ? "READ" : "WRITE");
  }
}

TEST_F(Timing, ALongerMessageIsNeverFaster) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  for (const bool reads : {true, false}) {
    Nanoseconds last = 0;
    for (const std::uint32_t bytes : {2048U, 4096U, 4097U, 6000U, 8192U, 8193U, 16'384U, 16'385U}) {
      ibv_sge piece = a_.piece(0, bytes);
      const Nanoseconds now =
          latency(cluster_, qp, reads ? read_request(&piece, b_, 0) : write_request(&piece, b_, 0));
      EXPECT_GE(now, last) << bytes;
      last = now;
    }
  }
}

// The stations of the receiver have worked on it since its first packet came.
TEST_F(Timing, WhatFollowsALongMessageDoesNotWaitForItAgain) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  cluster_.run({{0, [&, qp = qp](Core& core) {
                   ibv_sge large = a_.piece(0, 60'000);
                   ibv_sge flag = a_.piece(60'000, 8);
                   ASSERT_EQ(post(qp, write_request(&large, b_, 0)), 0);
                   ASSERT_EQ(post(qp, write_request(&flag, b_, 60'000)), 0);
                   await(core, a_.cq);
                   const Nanoseconds first = core.now();
                   await(core, a_.cq);
                   EXPECT_LT(core.now() - first, 500_ns) << "the wire alone takes 4.8 us for 60 kB";
                 }}});
}

TEST_F(Timing, AnInlineWriteIsFasterThanOneThatIsFetched) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_sge from = a_.piece(0, 32);
  ibv_send_wr wr = write_request(&from, b_, 0);
  const Nanoseconds fetched = latency(cluster_, qp, wr);
  wr.send_flags |= IBV_SEND_INLINE;
  EXPECT_LT(latency(cluster_, qp, wr) + 300_ns, fetched) << "one DMA read less";
}

TEST_F(Timing, LoopbackDoesNotUseTheWire) {
  const auto [near, near_peer] = cluster_.connected(0, 0);
  const auto [far, far_peer] = cluster_.connected(0, 1);
  ibv_sge to = a_.piece(0, 64);
  const std::uint64_t before = cluster_.counter(0, "wire_bytes");
  const Nanoseconds local = latency(cluster_, near, read_request(&to, a_, 1024));
  EXPECT_EQ(cluster_.counter(0, "wire_bytes"), before);
  EXPECT_LT(local, latency(cluster_, far, read_request(&to, b_, 1024)));
}

TEST_F(Timing, OneDoorbellForAChainCostsTheCoreLessAndTheChainNotMuchTime) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_sge to = a_.piece(0, 8);
  ibv_send_wr chain[8];
  for (int i = 0; i < 8; ++i) {
    chain[i] = read_request(&to, b_, 0);
    chain[i].next = i < 7 ? &chain[i + 1] : nullptr;
  }
  Nanoseconds each_cost = 0;
  Nanoseconds chain_cost = 0;
  cluster_.run({{0, [&, qp = qp](Core& core) {
                   Nanoseconds start = core.now();
                   for (const ibv_send_wr& one : chain) {
                     ibv_send_wr single = one;
                     single.next = nullptr;
                     ASSERT_EQ(post(qp, single), 0);
                   }
                   each_cost = core.now() - start;
                   await(core, a_.cq, 8);
                   start = core.now();
                   ibv_send_wr* bad = nullptr;
                   ASSERT_EQ(ibv_post_send(qp, chain, &bad), 0);
                   chain_cost = core.now() - start;
                   await(core, a_.cq, 8);
                   EXPECT_LT(core.now() - start, 6'000_ns);
                 }}});
  EXPECT_LT(chain_cost * 2, each_cost);
  EXPECT_EQ(cluster_.counter(0, "doorbells"), 1U);
  EXPECT_EQ(cluster_.counter(0, "blueflame_writes"), 8U);
}

/// Thousands of small READs over `queue_pairs` connections in turn, a window of 64; ns per READ.
double ns_per_read(std::uint32_t queue_pairs, const Options& overrides) {
  SimOptions options;
  options.overrides = overrides;
  VerbsCluster cluster(options);
  VerbsNode& a = cluster.node(0);
  std::vector<ibv_qp*> all;
  for (std::uint32_t i = 0; i < queue_pairs; ++i) all.push_back(cluster.connected(0, 1).first);
  constexpr std::uint32_t kReads = 8000;
  Nanoseconds end = 0;
  cluster.run(
      {{0, [&](Core& core) {
          std::uint32_t posted = 0;
          for (std::uint32_t done = 0; done < kReads;) {
            ibv_sge to = a.piece(0, 8);
            for (; posted < kReads && posted < done + 64; ++posted) {
              ASSERT_EQ(post(all[posted % queue_pairs], read_request(&to, cluster.node(1), 0)), 0);
            }
            ibv_wc wc[16];
            const int count = ibv_poll_cq(a.cq, 16, wc);
            done += static_cast<std::uint32_t>(count);
            if (count == 0) core.idle(kNever);
          }
          end = core.now();
        }}});
  return static_cast<double>(end.count()) / kReads;
}

TEST(QueuePairState, MoreQueuePairsThanTheCacheHoldsSlowTheNicDown) {
  Options small;
  small.set("nic.qp_cache_entries", "64");
  small.set("nic.qp_miss_stall_ns", "2000");
  const double few = ns_per_read(8, small);
  const double many = ns_per_read(128, small);
  EXPECT_GT(many, 2 * few);
  Options large = small;
  large.set("nic.qp_cache_entries", "4096");
  EXPECT_LT(ns_per_read(128, large), 1.3 * few);
}

TEST(Doorbells, ARegisterThatSeveralCoresShareIsLocked) {
  SimOptions options;
  options.cores_per_node = 2;
  VerbsCluster cluster(options);
  VerbsNode& a = cluster.node(0);
  const auto [qp, peer] = cluster.connected(0, 1);
  Nanoseconds alone = 0;
  Nanoseconds shared = 0;
  const auto cost = [&, qp = qp](Core& core) {
    ibv_sge to = a.piece(0, 8);
    const Nanoseconds start = core.now();
    EXPECT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
    return core.now() - start;
  };
  cluster.run({{0, [&](Core& core) { alone = cost(core); }}, {0, [&](Core& core) {
                                                                core.idle(10'000_ns);
                                                                shared = cost(core);
                                                              }}});
  EXPECT_GT(shared, alone + 100_ns);
  EXPECT_EQ(cluster.counter(0, "locked_doorbells"), 1U);
}

TEST(Atomics, OneAddressIsSlowerThanMany) {
  const auto duration = [](std::size_t stride) {
    VerbsCluster cluster;
    VerbsNode& a = cluster.node(0);
    std::array<ibv_qp*, 8> all{};
    for (ibv_qp*& qp : all) qp = cluster.connected(0, 1).first;
    Nanoseconds end = 0;
    cluster.run({{0, [&](Core& core) {
                    ibv_sge found = a.piece(0, 8);
                    for (std::size_t i = 0; i < 64; ++i) {
                      ASSERT_EQ(post(all[i % 8],
                                     fetch_and_add_request(&found, cluster.node(1), i * stride, 1)),
                                0);
                    }
                    await(core, a.cq, 64);
                    end = core.now();
                  }}});
    return end;
  };
  EXPECT_GT(duration(0), 64 * 400_ns);
  EXPECT_LT(duration(8), 64 * 200_ns);
}

TEST(Atomics, OutstandingReadsAreLimitedByTheConnection) {
  const auto duration = [](std::uint8_t max_reads) {
    VerbsCluster cluster;
    VerbsNode& a = cluster.node(0);
    ConnectionShape connection;
    connection.max_reads = max_reads;
    const auto [qp, peer] = cluster.connected(0, 1, {}, connection);
    Nanoseconds end = 0;
    cluster.run({{0, [&, qp = qp](Core& core) {
                    ibv_sge to = a.piece(0, 8);
                    for (int i = 0; i < 32; ++i) {
                      ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                    }
                    await(core, a.cq, 32);
                    end = core.now();
                  }}});
    return end;
  };
  EXPECT_GT(duration(1), 32 * 1'000_ns) << "one after the other";
  EXPECT_LT(duration(16) * 4, duration(1));
}

}  // namespace
}  // namespace verbena::simnic
