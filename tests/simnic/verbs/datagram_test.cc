// Unreliable datagrams: addressing, the global route header, drops, loss, duplicates and disorder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

constexpr std::uint32_t kGrh = 40;

ibv_send_wr datagram_request(ibv_sge* from, ibv_ah* to, const ibv_qp* peer) {
  ibv_send_wr wr = send_request(from);
  wr.wr.ud.ah = to;
  wr.wr.ud.remote_qpn = peer->qp_num;
  wr.wr.ud.remote_qkey = VerbsCluster::kQkey;
  return wr;
}

/// Two nodes with a datagram queue pair each.
struct Datagrams {
  explicit Datagrams(const SimOptions& options = {}) : cluster(options) {}

  /// Node 0 sends `count` numbered datagrams, one after the other; what node 1 received, in order.
  std::vector<std::uint32_t> exchange(std::uint32_t count, std::uint32_t receives) {
    for (std::uint32_t i = 0; i < receives; ++i) {
      EXPECT_EQ(post_receive(receiver, b.piece(64 * i, 64), i), 0);
    }
    ibv_ah* to = cluster.address_handle(0, 1);
    std::vector<std::uint32_t> received;
    cluster.run({{0,
                  [&](rdma::Core& core) {
                    for (std::uint32_t i = 0; i < count; ++i) {
                      a.at<std::uint32_t>(0) = i;
                      ibv_sge from = a.piece(0, 4);
                      ibv_send_wr wr = datagram_request(&from, to, receiver);
                      wr.send_flags |= IBV_SEND_INLINE;
                      ASSERT_EQ(post(sender, wr), 0);
                      await(core, a.cq);
                    }
                  }},
                 {1, [&](rdma::Core& core) {
                    for (const ibv_wc& wc : await_for(core, b.cq, 1'000'000_ns)) {
                      EXPECT_EQ(wc.byte_len, kGrh + 4);
                      received.push_back(b.at<std::uint32_t>(wc.wr_id * 64 + kGrh));
                    }
                  }}});
    return received;
  }

  VerbsCluster cluster;
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  QueuePairShape deep{.receive_depth = 1000};
  ibv_qp* sender = cluster.datagram(0, deep);
  ibv_qp* receiver = cluster.datagram(1, deep);
};

SimOptions with(const std::string& key, const std::string& value, std::uint64_t seed = 1) {
  SimOptions options;
  options.seed = seed;
  options.overrides.set(key, value);
  return options;
}

TEST(Datagram, CarriesItsSenderAndLeavesRoomForTheGlobalRouteHeader) {
  Datagrams d;
  ASSERT_EQ(post_receive(d.receiver, d.b.piece(0, 64), 3), 0);
  ASSERT_EQ(post_receive(d.receiver, d.b.piece(64, 64), 4), 0);
  ibv_ah* local = d.cluster.address_handle(0, 1);
  ibv_ah* global = d.cluster.address_handle(0, 1, true);
  d.cluster.run({{0,
                  [&](rdma::Core& core) {
                    std::memcpy(&d.a.at<char>(0), "datagram", 8);
                    ibv_sge from = d.a.piece(0, 8);
                    ASSERT_EQ(post(d.sender, datagram_request(&from, local, d.receiver)), 0);
                    ibv_send_wr wr = datagram_request(&from, global, d.receiver);
                    wr.opcode = IBV_WR_SEND_WITH_IMM;
                    wr.imm_data = 99;
                    ASSERT_EQ(post(d.sender, wr), 0);
                    for (const ibv_wc& wc : await(core, d.a.cq, 2)) {
                      EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
                      EXPECT_EQ(wc.opcode, IBV_WC_SEND);
                    }
                  }},
                 {1, [&](rdma::Core& core) {
                    const std::vector<ibv_wc> all = await(core, d.b.cq, 2);
                    EXPECT_EQ(all[0].wr_id, 3U);
                    EXPECT_EQ(all[0].src_qp, d.sender->qp_num);
                    EXPECT_EQ(all[0].slid, d.a.port.lid);
                    EXPECT_EQ(all[0].byte_len, kGrh + 8);
                    EXPECT_EQ(all[0].wc_flags & IBV_WC_GRH, 0U);
                    EXPECT_EQ(std::memcmp(&d.b.at<char>(kGrh), "datagram", 8), 0);
                    EXPECT_EQ(all[1].wc_flags & IBV_WC_GRH, static_cast<unsigned>(IBV_WC_GRH));
                    EXPECT_EQ(all[1].imm_data, 99U);
                    ibv_gid gid{};
                    d.a.verbs->query_gid(d.a.context, 1, 0, &gid);
                    EXPECT_EQ(std::memcmp(&d.b.at<char>(64 + 8), gid.raw, 16), 0);
                  }}});
}

TEST(Datagram, IsDroppedWithoutAReceiveAndCounted) {
  Datagrams d;
  EXPECT_EQ(d.exchange(5, 3), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(d.cluster.counter(1, "ud_drops"), 2U);
}

TEST(Datagram, IsDroppedWhenItsKeyIsNotTheReceivers) {
  Datagrams d;
  ASSERT_EQ(post_receive(d.receiver, d.b.piece(0, 64)), 0);
  ibv_ah* to = d.cluster.address_handle(0, 1);
  d.cluster.run(
      {{0,
        [&](rdma::Core& core) {
          ibv_sge from = d.a.piece(0, 8);
          ibv_send_wr wr = datagram_request(&from, to, d.receiver);
          wr.wr.ud.remote_qkey += 1;
          ASSERT_EQ(post(d.sender, wr), 0);
          EXPECT_EQ(await(core, d.a.cq).front().status, IBV_WC_SUCCESS);
        }},
       {1, [&](rdma::Core& core) { EXPECT_TRUE(await_for(core, d.b.cq, 100'000_ns).empty()); }}});
  EXPECT_EQ(d.cluster.counter(1, "ud_drops"), 1U);
}

TEST(Datagram, IsAtMostOnePacketAndOnlySends) {
  Datagrams d;
  ibv_ah* to = d.cluster.address_handle(0, 1);
  ibv_sge from = d.a.piece(0, 4097);
  EXPECT_EQ(post(d.sender, datagram_request(&from, to, d.receiver)), EINVAL);
  from.length = 4096;
  EXPECT_EQ(post(d.sender, datagram_request(&from, to, d.receiver)), 0);
  EXPECT_EQ(post(d.sender, write_request(&from, d.b, 0)), EINVAL);
}

TEST(Datagram, IsLostWithTheProbabilityThatIsAsked) {
  Datagrams d(with("fabric.ud_loss", "0.25"));
  const std::vector<std::uint32_t> received = d.exchange(400, 500);
  EXPECT_EQ(received.size(), 400 - d.cluster.counter(0, "ud_losses"));
  EXPECT_GT(received.size(), 250U);
  EXPECT_LT(received.size(), 350U);
  EXPECT_TRUE(std::is_sorted(received.begin(), received.end()));
}

TEST(Datagram, IsDuplicatedAndReorderedWhenAsked) {
  Datagrams twice(with("fabric.ud_duplicate", "0.5"));
  std::vector<std::uint32_t> received = twice.exchange(200, 500);
  EXPECT_EQ(received.size(), 200 + twice.cluster.counter(0, "ud_duplicates"));
  EXPECT_EQ(std::set<std::uint32_t>(received.begin(), received.end()).size(), 200U);
}

TEST(Datagram, IsReorderedWhenAsked) {
  Datagrams d(with("fabric.ud_reorder", "0.5"));
  std::vector<std::uint32_t> received = d.exchange(200, 500);
  EXPECT_FALSE(std::is_sorted(received.begin(), received.end()));
  std::sort(received.begin(), received.end());
  EXPECT_EQ(received.size(), 200U);
  EXPECT_EQ(std::unique(received.begin(), received.end()), received.end());
}

TEST(Datagram, SharedReceivesServeSeveralQueuePairs) {
  VerbsCluster cluster;
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  ibv_srq_init_attr init{};
  init.attr.max_wr = 4;
  init.attr.max_sge = 1;
  ibv_srq* srq = b.verbs->create_srq(b.pd, &init);
  QueuePairShape shared;
  shared.srq = srq;
  ibv_qp* first = cluster.datagram(1, shared);
  ibv_qp* second = cluster.datagram(1, shared);
  ibv_qp* sender = cluster.datagram(0);
  ibv_ah* to = cluster.address_handle(0, 1);
  for (std::uint64_t i = 0; i < 5; ++i) {
    ibv_sge piece = b.piece(64 * i, 64);
    ibv_recv_wr wr{};
    wr.wr_id = i;
    wr.sg_list = &piece;
    wr.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    EXPECT_EQ(ibv_post_srq_recv(srq, &wr, &bad), i < 4 ? 0 : ENOMEM);
  }
  EXPECT_EQ(post_receive(first, b.piece(0, 64)), EINVAL);
  cluster.run({{0,
                [&](rdma::Core& core) {
                  ibv_sge from = a.piece(0, 8);
                  for (const ibv_qp* peer : {first, second, first}) {
                    ASSERT_EQ(post(sender, datagram_request(&from, to, peer)), 0);
                  }
                  await(core, a.cq, 3);
                }},
               {1, [&](rdma::Core& core) {
                  const std::vector<ibv_wc> all = await(core, b.cq, 3);
                  std::multiset<std::uint32_t> receivers;
                  for (std::uint64_t i = 0; i < 3; ++i) {
                    EXPECT_EQ(all[i].wr_id, i) << "receives are consumed in order";
                    receivers.insert(all[i].qp_num);
                  }
                  EXPECT_EQ(receivers, (std::multiset<std::uint32_t>{first->qp_num, first->qp_num,
                                                                     second->qp_num}));
                }}});
  EXPECT_EQ(b.verbs->destroy_srq(srq), EBUSY);
  for (ibv_qp* qp : {first, second}) {
    b.verbs->destroy_qp(qp);
    cluster.forget(qp);
  }
  EXPECT_EQ(b.verbs->destroy_srq(srq), 0);
}

TEST(UnreliableConnection, WritesAndSendsAndSaysNothingOfWhatIsDropped) {
  VerbsCluster cluster;
  VerbsNode& a = cluster.node(0);
  VerbsNode& b = cluster.node(1);
  QueuePairShape shape;
  shape.type = IBV_QPT_UC;
  const auto [qp, peer] = cluster.connected(0, 1, shape);
  ASSERT_EQ(post_receive(peer, b.piece(512, 64), 8), 0);
  cluster.run({{0,
                [&, qp = qp](rdma::Core& core) {
                  a.at<std::uint64_t>(0) = 77;
                  ibv_sge from = a.piece(0, 8);
                  ASSERT_EQ(post(qp, write_request(&from, b, 0)), 0);
                  ASSERT_EQ(post(qp, send_request(&from)), 0);
                  ASSERT_EQ(post(qp, send_request(&from)), 0);
                  EXPECT_EQ(post(qp, read_request(&from, b, 0)), EINVAL);
                  for (const ibv_wc& wc : await(core, a.cq, 3))
                    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
                }},
               {1, [&](rdma::Core& core) {
                  const std::vector<ibv_wc> all = await_for(core, b.cq, 100'000_ns);
                  ASSERT_EQ(all.size(), 1U);
                  EXPECT_EQ(all[0].wr_id, 8U);
                  EXPECT_EQ(b.at<std::uint64_t>(0), 77U);
                  EXPECT_EQ(b.at<std::uint64_t>(512), 77U);
                }}});
  EXPECT_EQ(cluster.counter(1, "uc_drops"), 1U);
}

// Node 1 has filled the way to node 2; what goes to node 3 does not wait for that.
TEST(Datagram, DoesNotWaitForAnotherOnesDestination) {
  SimOptions options;
  options.nodes = 4;
  VerbsCluster cluster(options);
  const auto [writer, written] = cluster.connected(1, 2);
  ibv_qp* sender = cluster.datagram(0);
  ibv_qp* busy = cluster.datagram(2);
  ibv_qp* idle = cluster.datagram(3);
  ibv_ah* to_busy = cluster.address_handle(0, 2);
  ibv_ah* to_idle = cluster.address_handle(0, 3);
  const auto send = [&](ibv_ah* to, const ibv_qp* receiver) {
    ibv_sge piece = cluster.node(0).piece(0, 64);
    ibv_send_wr request = send_request(&piece);
    request.wr.ud.ah = to;
    request.wr.ud.remote_qpn = receiver->qp_num;
    request.wr.ud.remote_qkey = VerbsCluster::kQkey;
    ASSERT_EQ(post(sender, request), 0);
  };
  post_receive(busy, cluster.node(2).piece(0, 256));
  post_receive(idle, cluster.node(3).piece(0, 256));
  post_receive(idle, cluster.node(3).piece(512, 256));
  constexpr Nanoseconds kFilled{14'000};
  Nanoseconds sent_after = 0;
  Nanoseconds received = 0;
  cluster.run({{1,
                [&, writer = writer](rdma::Core& core) {
                  ibv_sge piece = cluster.node(1).piece(0, 60'000);
                  for (int i = 0; i < 12; ++i) {
                    ASSERT_EQ(post(writer, write_request(&piece, cluster.node(2), 0)), 0);
                  }
                  await(core, cluster.node(1).cq, 12);
                }},
               {0,
                [&](rdma::Core& core) {
                  send(to_idle, idle);  // so that caches are warm
                  await(core, cluster.node(0).cq);
                  while (core.now() < kFilled) core.idle(kFilled);
                  send(to_busy, busy);
                  send(to_idle, idle);
                  await(core, cluster.node(0).cq, 2);
                  sent_after = core.now() - kFilled;
                }},
               {3, [&](rdma::Core& core) {
                  await(core, cluster.node(3).cq, 2);
                  received = core.now() - kFilled;
                }}});
  EXPECT_LT(sent_after, 3000_ns) << "they have left the port";
  EXPECT_LT(received, 3000_ns);
}

}  // namespace
}  // namespace verbena::simnic
