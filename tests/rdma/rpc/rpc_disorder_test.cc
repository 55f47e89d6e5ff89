// RPC over a fabric that loses, duplicates and reorders datagrams: every effect happens exactly
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "rdma/rpc/rpc_batch.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::bytes_of;
using testing::Cluster;
using testing::Executions;
using testing::FabricShape;
using testing::value_of;

constexpr RpcMethod kCount = 1;
constexpr RpcMethod kNotice = 2;
constexpr RpcMethod kEcho = 3;

struct Disorder {
  const char* name;
  std::map<std::string, std::string> overrides;
  bool chaos = false;
};

std::ostream& operator<<(std::ostream& out, const Disorder& disorder) {
  return out << disorder.name;
}

class RpcUnder : public ::testing::TestWithParam<Disorder> {
 protected:
  static constexpr std::uint64_t kSeeds = 12;
  static FabricShape shape(std::uint64_t seed) {
    return {.nodes = 3, .seed = seed, .chaos = GetParam().chaos, .overrides = GetParam().overrides};
  }
  static EndpointOptions options(std::uint64_t seed) {
    EndpointOptions options = testing::options_for(shape(seed));
    // Short time-outs and small rings, so that all that can be used again is used again soon.
    options.rpc.timeout = 30 * kMicrosecond;
    options.rpc.max_timeout = 200 * kMicrosecond;
    options.rpc.ack_delay = 10 * kMicrosecond;
    options.rpc.retries = 30;
    options.rpc.slots_per_peer = 3;
    // Numbers wrap, those of acknowledgements earlier than others.
    constexpr std::array<std::uint32_t, 4> kFirst = {0, 0xfffa, 0xfffffa, UINT32_MAX - 5};
    options.rpc.first_number = kFirst[seed % kFirst.size()];
    options.rpc.notify_window = 5 + seed * 7 % 252;
    options.rpc.receive_batch = 8;
    options.rpc.receive_depth = seed % 2 == 0 ? 32 : 512;
    options.rpc.send_queue_depth = 8;
    options.rpc.signal_interval = 3;
    return options;
  }
};

TEST_P(RpcUnder, CallsAndNotificationsAreExecutedExactlyOnce) {
  std::uint64_t retransmissions = 0;
  std::uint64_t duplicates = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Cluster cluster(shape(seed), options(seed));
    std::map<NodeId, Executions> calls;
    std::map<NodeId, Executions> notices;
    constexpr std::uint64_t kRounds = 40;
    cluster.for_each_worker([&](Worker& worker) {
      calls[worker.node()].serve(worker, kCount);
      notices[worker.node()].serve(worker, kNotice);
      for (std::uint64_t fiber = 0; fiber < 2; ++fiber) {
        worker.spawn([&worker, fiber] {
          RpcBatch batch(worker.rpc());
          for (std::uint64_t round = 0; round < kRounds; ++round) {
            const std::uint64_t number = (worker.node() * 2U + fiber) * kRounds + round;
            batch.clear();
            for (NodeId peer = 0; peer < 3; ++peer) batch.add(peer, kCount, bytes_of(number));
            batch.post(round % 2 == 0 ? Doorbell::kBatched : Doorbell::kEach);
            for (NodeId peer = 0; peer < 3; ++peer) {
              worker.rpc().notify(peer, kNotice, bytes_of(number));
            }
            batch.wait();
            for (std::size_t i = 0; i < 3; ++i) {
              ASSERT_EQ(value_of<std::uint64_t>(batch.reply(i)), number + 1);
            }
          }
        });
      }
    });
    cluster.run();
    for (const auto& [node, executions] : calls) executions.expect_each_once(3 * 2 * kRounds);
    for (const auto& [node, executions] : notices) executions.expect_each_once(3 * 2 * kRounds);
    cluster.for_each_worker([&](Worker& worker) {
      retransmissions += worker.counters().retransmissions;
      duplicates += worker.counters().duplicates;
    });
  }
  // The disorder did happen, and was noticed.
  EXPECT_GT(retransmissions + duplicates, 0U);
}

TEST_P(RpcUnder, MessagesKeepTheirContentWhileBuffersAreReused) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Cluster cluster(shape(seed), options(seed));
    cluster.for_each_worker([&](Worker& worker) {
      worker.rpc().serve(kEcho,
                         [](const RpcCaller&, std::span<const std::byte> request, RpcReply& reply) {
                           std::ranges::copy(request, reply.allocate(request.size()).begin());
                         });
      for (std::uint64_t fiber = 0; fiber < 3; ++fiber) {
        worker.spawn([&worker, fiber] {
          RpcBatch batch(worker.rpc());
          for (std::uint64_t round = 0; round < 60; ++round) {
            // Every byte of a message says whose it is; most are too long to be sent inline.
            const auto mark = static_cast<std::byte>(worker.node() * 80 + fiber * 25 + round % 25);
            const std::vector<std::byte> request(1 + round * 31 % 900, mark);
            const auto peer = static_cast<NodeId>((worker.node() + 1 + round % 2) % 3);
            batch.clear();
            batch.add(peer, kEcho, request);
            batch.post();
            batch.wait();
            const auto reply = batch.reply(0);
            ASSERT_TRUE(std::equal(reply.begin(), reply.end(), request.begin(), request.end()));
          }
        });
      }
    });
    cluster.run();
  }
}

INSTANTIATE_TEST_SUITE_P(, RpcUnder,
                         ::testing::Values(Disorder{"Loss", {{"fabric.ud_loss", "0.2"}}},
                                           Disorder{"HeavyLoss", {{"fabric.ud_loss", "0.35"}}},
                                           Disorder{"Duplication",
                                                    {{"fabric.ud_duplicate", "0.3"}}},
                                           Disorder{"LateDuplication",
                                                    {{"fabric.ud_duplicate", "0.3"},
                                                     {"fabric.ud_reorder", "0.5"},
                                                     {"fabric.ud_reorder_delay_ns", "60000"}}},
                                           Disorder{"Reordering",
                                                    {{"fabric.ud_reorder", "0.5"},
                                                     {"fabric.ud_reorder_delay_ns", "100000"}}},
                                           Disorder{"Everything",
                                                    {{"fabric.ud_loss", "0.1"},
                                                     {"fabric.ud_duplicate", "0.1"},
                                                     {"fabric.ud_reorder", "0.3"},
                                                     {"fabric.ud_reorder_delay_ns", "50000"}}}),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Chaos, RpcUnder,
                         ::testing::Values(Disorder{"Everything",
                                                    {{"fabric.ud_loss", "0.1"},
                                                     {"fabric.ud_duplicate", "0.1"},
                                                     {"fabric.ud_reorder", "0.3"},
                                                     {"fabric.chaos_preempt", "0.3"}},
                                                    true}),
                         [](const auto& info) { return info.param.name; });

TEST(Determinism, EqualSeedsGiveEqualRunsAndOthersOthers) {
  const auto digest = [](std::uint64_t seed) {
    const FabricShape shape{.nodes = 3, .seed = seed, .overrides = {{"fabric.ud_loss", "0.1"}}};
    Cluster cluster(shape);
    std::map<NodeId, Executions> executions;
    cluster.for_each_worker([&](Worker& worker) {
      executions[worker.node()].serve(worker, kCount);
      worker.spawn([&worker] {
        for (std::uint64_t i = 0; i < 100; ++i) {
          worker.rpc().notify(static_cast<NodeId>((worker.node() + 1) % 3), kCount, bytes_of(i));
        }
      });
    });
    cluster.run();
    return cluster.fabric().trace_digest();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST(NotificationsUnderLoss, ThoseThatArrivedAreSeldomSentAgain) {
  const FabricShape shape{
      .nodes = 2, .seed = 5, .chaos = false, .overrides = {{"fabric.ud_loss", "0.02"}}};
  EndpointOptions options = testing::options_for(shape);
  options.rpc.timeout = 100 * kMicrosecond;
  options.rpc.ack_delay = 10 * kMicrosecond;
  Cluster cluster(shape, options);
  Executions executions;
  executions.serve(cluster.worker(1), kNotice);
  constexpr std::uint64_t kCountOfAll = 5'000;
  cluster.worker(0).spawn([&] {
    for (std::uint64_t i = 0; i < kCountOfAll; ++i) {
      cluster.worker(0).rpc().notify(1, kNotice, bytes_of(i));
    }
  });
  cluster.run();
  executions.expect_each_once(kCountOfAll);
  const std::uint64_t repeated = cluster.worker(0).counters().retransmissions;
  EXPECT_GT(repeated, kCountOfAll / 100);
  EXPECT_LT(cluster.worker(1).counters().duplicates, repeated / 3);
}

}  // namespace
}  // namespace verbena::rdma
