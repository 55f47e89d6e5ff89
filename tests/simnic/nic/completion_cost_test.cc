// Costs of completions and results, fetches of requests and of queue pairs' state, and packets.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;
using Settings = std::vector<std::pair<std::string, std::string>>;

SimOptions with(const Settings& settings) {
  SimOptions options;
  for (const auto& [key, value] : settings) options.overrides.set(key, value);
  return options;
}

/// A chain of `count` requests under one doorbell.
std::vector<ibv_send_wr> chain_of(const ibv_send_wr& request, std::size_t count) {
  std::vector<ibv_send_wr> chain(count, request);
  for (std::size_t i = 0; i + 1 < count; ++i) chain[i].next = &chain[i + 1];
  return chain;
}

/// How long 40 requests take of which eight are in flight and every n-th is signaled.
Nanoseconds requests_take(const Settings& settings, bool writes, bool signal_all,
                          int signaled_every = 1) {
  VerbsCluster cluster(with(settings));
  const auto [qp, peer] = cluster.connected(0, 1, {.signal_all = signal_all});
  ibv_sge piece = cluster.node(0).piece(0, 8);
  Nanoseconds took = 0;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  const Nanoseconds start = core.now();
                  int in_flight = 0;
                  for (int i = 1; i <= 40; ++i) {
                    ibv_send_wr request = writes ? write_request(&piece, cluster.node(1), 0)
                                                 : read_request(&piece, cluster.node(1), 0);
                    if (i % signaled_every != 0) request.send_flags &= ~IBV_SEND_SIGNALED;
                    ASSERT_EQ(post(qp, request), 0);
                    if (i % signaled_every == 0 && ++in_flight == 8) {
                      await(core, cluster.node(0).cq);
                      --in_flight;
                    }
                  }
                  await(core, cluster.node(0).cq, in_flight);
                  took = core.now() - start;
                }}});
  return took;
}

// The state of all but the last READ has been driven out, so their completions take longer.
TEST(Completions, OfOneQueuePairDoNotWaitForThoseOfAnother) {
  VerbsCluster cluster(with({{"nic.wqe_cache_entries", "1"}, {"cpu.dma_read_latency_ns", "2000"}}));
  const auto [slow, slow_peer] = cluster.connected(0, 1);
  const auto [quick, quick_peer] = cluster.connected(0, 1);
  ibv_sge to = cluster.node(0).piece(0, 8);
  cluster.run({{0, [&, slow = slow, quick = quick](Core& core) {
                  ibv_send_wr wr = read_request(&to, cluster.node(1), 0);
                  for (ibv_qp* qp : {slow, quick}) {
                    ASSERT_EQ(post(qp, wr), 0);
                    await(core, cluster.node(0).cq);
                  }
                  for (wr.wr_id = 1; wr.wr_id <= 4; ++wr.wr_id) ASSERT_EQ(post(slow, wr), 0);
                  ASSERT_EQ(post(quick, wr), 0);
                  std::vector<std::uint64_t> order;
                  for (const ibv_wc& one : await(core, cluster.node(0).cq, 5)) {
                    order.push_back(one.wr_id);
                  }
                  EXPECT_EQ(order, (std::vector<std::uint64_t>{5, 1, 2, 3, 4}));
                }}});
}

TEST(Completions, TakeTimeOfTheProcessingUnit) {
  const Settings costly = {{"nic.completion_ns", "1000"}};
  EXPECT_GT(requests_take(costly, true, false), requests_take({}, true, false) + 25'000_ns);
  EXPECT_LT(requests_take(costly, true, false, 40), requests_take({}, true, false, 40) + 2'000_ns)
      << "one completion";
}

TEST(Completions, DoNotWaitForRequestsThatTheUnitHasYetToServe) {
  // Two WRITEs, of which the second takes the unit long.
  const auto first_takes = [](std::uint32_t second_bytes) {
    VerbsCluster cluster(with({{"nic.processing_gbps", "1"}}));
    const auto [qp, peer] = cluster.connected(0, 1);
    ibv_sge small = cluster.node(0).piece(0, 8);
    ibv_sge second = cluster.node(0).piece(0, second_bytes);
    Nanoseconds took = 0;
    cluster.run({{0, [&, qp = qp](Core& core) {
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(qp, write_request(&small, cluster.node(1), 0)), 0);
                    ASSERT_EQ(post(qp, write_request(&second, cluster.node(1), 64)), 0);
                    await(core, cluster.node(0).cq);
                    took = core.now() - start;
                    await(core, cluster.node(0).cq);
                  }}});
    return took;
  };
  EXPECT_EQ(first_takes(8), first_takes(8192));
}

/// Bytes that the host's side of PCIe receives for a READ of `bytes`, whose result is checked.
std::uint64_t bytes_written_for_read(std::uint32_t bytes, bool signal_all) {
  VerbsCluster cluster;
  const auto [qp, peer] = cluster.connected(0, 1, {.signal_all = signal_all});
  std::memset(cluster.node(1).memory.data(), 0x5a, bytes);
  ibv_sge to = cluster.node(0).piece(0, bytes);
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                  await(core, cluster.node(0).cq);
                }}});
  const std::vector<std::byte> expected(bytes, std::byte{0x5a});
  EXPECT_EQ(std::memcmp(cluster.node(0).memory.data(), expected.data(), bytes), 0);
  return cluster.counter(0, "pcie_write_bytes");
}

TEST(Results, OfUpTo32BytesComeInTheCompletionOfQueuePairsThatSignalAll) {
  constexpr std::uint64_t kHeader = 26;
  constexpr std::uint64_t kCompletion = 64 + kHeader;
  EXPECT_EQ(bytes_written_for_read(32, true), kCompletion);
  EXPECT_EQ(bytes_written_for_read(32, false), kCompletion + 32 + kHeader);
  EXPECT_EQ(bytes_written_for_read(33, true), kCompletion + 33 + kHeader);
}

TEST(Results, DoNotComeInEntriesThatHaveNoRoomForThem) {
  EXPECT_THROW(VerbsCluster(with({{"nic.cqe_bytes", "32"}})), ConfigurationError);
}

TEST(Results, ThatAreWrittenByThemselvesTakeTimeOfTheProcessingUnit) {
  const Settings costly = {{"nic.result_write_ns", "1000"}};
  EXPECT_GT(requests_take(costly, false, false), requests_take(costly, false, true) + 25'000_ns);
}

TEST(QueuePairState, IsFetchedForSoManyQueuePairsAtATime) {
  // Many queue pairs, state for four of them: nearly every look-up misses.
  const auto reads_take = [](const char* fetches) {
    constexpr std::size_t kQueuePairs = 64;
    VerbsCluster cluster(with({{"nic.qp_cache_entries", "4"}, {"nic.qp_fetches", fetches}}));
    std::vector<ibv_qp*> queue_pairs;
    for (std::size_t i = 0; i < kQueuePairs; ++i) {
      queue_pairs.push_back(cluster.connected(0, 1).first);
    }
    ibv_sge to = cluster.node(0).piece(0, 8);
    Nanoseconds took = 0;
    cluster.run({{0, [&](Core& core) {
                    const Nanoseconds start = core.now();
                    for (ibv_qp* qp : queue_pairs) {
                      ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                    }
                    await(core, cluster.node(0).cq, kQueuePairs);
                    took = core.now() - start;
                  }}});
    return took;
  };
  // Requester and response miss in one NIC: 128 fetches of 547 ns one after another.
  EXPECT_GT(reads_take("1"), 50'000_ns);
  EXPECT_LT(reads_take("64"), 20'000_ns);
}

TEST(RequestFetch, BringsWholeLines) {
  // Datagrams' requests name an address and take two lines of 64 B, connected READs one.
  const auto bytes_read = [](bool datagrams) {
    VerbsCluster cluster;
    ibv_qp* qp = datagrams ? cluster.datagram(0) : cluster.connected(0, 1).first;
    ibv_qp* peer = cluster.datagram(1);
    ibv_ah* way = cluster.address_handle(0, 1);
    ibv_sge piece = cluster.node(0).piece(0, 8);
    ibv_send_wr request = read_request(&piece, cluster.node(1), 0);
    if (datagrams) {
      request = send_request(&piece);
      request.send_flags |= IBV_SEND_INLINE;
      request.wr.ud = {way, peer->qp_num, VerbsCluster::kQkey};
    }
    cluster.run({{0, [&](Core& core) {
                    std::vector<ibv_send_wr> chain = chain_of(request, 4);
                    ibv_send_wr* bad = nullptr;
                    ASSERT_EQ(ibv_post_send(qp, chain.data(), &bad), 0);
                    await(core, cluster.node(0).cq, 4);
                  }}});
    return cluster.counter(0, "pcie_read_bytes");
  };
  EXPECT_EQ(bytes_read(true) - bytes_read(false), 4U * 64 + 2 * 22);
}

TEST(Packets, HaveFramingOnTheWire) {
  const auto bytes_on_wire = [](const char* framing) {
    VerbsCluster cluster(with({{"nic.packet_framing_bytes", framing}}));
    const auto [qp, peer] = cluster.connected(0, 1);
    ibv_sge to = cluster.node(0).piece(0, 8192);
    cluster.run({{0, [&, qp = qp](Core& core) {
                    ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
                    await(core, cluster.node(0).cq);
                  }}});
    return cluster.counter(0, "wire_bytes") + cluster.counter(1, "wire_bytes");
  };
  EXPECT_EQ(bytes_on_wire("10") - bytes_on_wire("0"), 30U)
      << "a request, a response of two packets";
}

TEST(Datagrams, OfOneQueuePairAreSentByAllUnits) {
  const auto sends_take = [](const char* units) {
    VerbsCluster cluster(
        with({{"nic.processing_units", units}, {"nic.requester_send_ns", "1000"}}));
    ibv_qp* qp = cluster.datagram(0);
    ibv_qp* peer = cluster.datagram(1);
    ibv_sge from = cluster.node(0).piece(0, 8);
    ibv_send_wr request = send_request(&from);
    request.wr.ud = {cluster.address_handle(0, 1), peer->qp_num, VerbsCluster::kQkey};
    Nanoseconds took = 0;
    cluster.run({{0, [&](Core& core) {
                    const Nanoseconds start = core.now();
                    for (int i = 0; i < 40; ++i) ASSERT_EQ(post(qp, request), 0);
                    await(core, cluster.node(0).cq, 40);
                    took = core.now() - start;
                  }}});
    return took;
  };
  EXPECT_GT(sends_take("1"), 39'000_ns);
  EXPECT_LT(sends_take("8"), 12'000_ns);
}

}  // namespace
}  // namespace verbena::simnic
