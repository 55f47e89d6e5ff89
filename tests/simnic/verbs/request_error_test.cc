// Errors of requests: keys, bounds, lengths, missing receives, missing peers, full queues.
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

class RequestError : public ::testing::Test {
 protected:
  /// Posts `wr` and then a READ on a fresh connection; the statuses of both, in order.
  std::vector<ibv_wc_status> statuses(ibv_send_wr wr, const ConnectionShape& connection = {}) {
    const auto [qp, peer] = cluster_.connected(0, 1, {}, connection);
    std::vector<ibv_wc_status> result;
    cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                     ASSERT_EQ(post(qp, wr), 0);
                     ibv_sge to = a_.piece(0, 8);
                     ASSERT_EQ(post(qp, read_request(&to, b_, 0)), 0);
                     for (const ibv_wc& wc : await(core, a_.cq, 2)) result.push_back(wc.status);
                   }}});
    return result;
  }
  static std::vector<ibv_wc_status> then_flush(ibv_wc_status first) {
    return {first, IBV_WC_WR_FLUSH_ERR};
  }

  VerbsCluster cluster_;
  VerbsNode& a_ = cluster_.node(0);
  VerbsNode& b_ = cluster_.node(1);
};

TEST_F(RequestError, RemoteBoundsAndKeysAreChecked) {
  ibv_sge to = a_.piece(0, 16);
  EXPECT_EQ(statuses(read_request(&to, b_, VerbsCluster::kMemoryBytes - 8)),
            then_flush(IBV_WC_REM_ACCESS_ERR));
  ibv_send_wr wr = write_request(&to, b_, 0);
  wr.wr.rdma.rkey += 1;
  EXPECT_EQ(statuses(wr), then_flush(IBV_WC_REM_ACCESS_ERR));
  wr = write_request(&to, b_, 0);
  wr.wr.rdma.remote_addr -= 1;
  EXPECT_EQ(statuses(wr), then_flush(IBV_WC_REM_ACCESS_ERR));
}

TEST_F(RequestError, LocalBoundsAndKeysAreChecked) {
  ibv_sge beyond = a_.piece(VerbsCluster::kMemoryBytes - 8, 16);
  EXPECT_EQ(statuses(read_request(&beyond, b_, 0)), then_flush(IBV_WC_LOC_PROT_ERR));
  ibv_sge unknown = a_.piece(0, 16);
  unknown.lkey ^= 0xff00;
  EXPECT_EQ(statuses(write_request(&unknown, b_, 0)), then_flush(IBV_WC_LOC_PROT_ERR));
}

TEST_F(RequestError, AQueuePairOnlyExecutesWhatItAllows) {
  ConnectionShape no_writes;
  no_writes.access = IBV_ACCESS_REMOTE_READ;
  ibv_sge from = a_.piece(0, 16);
  EXPECT_EQ(statuses(write_request(&from, b_, 0), no_writes), then_flush(IBV_WC_REM_INV_REQ_ERR));
}

TEST_F(RequestError, ARegionOnlyAllowsTheAccessItWasRegisteredFor) {
  ibv_mr* read_only = b_.verbs->reg_mr(b_.pd, b_.memory.data(), 64, IBV_ACCESS_REMOTE_READ);
  ibv_sge from = a_.piece(0, 16);
  ibv_send_wr wr = write_request(&from, b_, 0);
  wr.wr.rdma.rkey = read_only->rkey;
  EXPECT_EQ(statuses(wr), then_flush(IBV_WC_REM_ACCESS_ERR));
  EXPECT_EQ(b_.verbs->dereg_mr(read_only), 0);
  EXPECT_EQ(b_.verbs->reg_mr(b_.pd, b_.memory.data(), 64, IBV_ACCESS_REMOTE_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL) << "remote writes need local ones";
}

TEST_F(RequestError, ADeregisteredKeyIsNoKeyEvenWhenItsPlaceIsUsedAgain) {
  ibv_mr* gone = b_.verbs->reg_mr(b_.pd, b_.memory.data(), 64, VerbsCluster::kAllAccess);
  const std::uint32_t key = gone->rkey;
  ASSERT_EQ(b_.verbs->dereg_mr(gone), 0);
  ibv_mr* next = b_.verbs->reg_mr(b_.pd, b_.memory.data(), 64, VerbsCluster::kAllAccess);
  EXPECT_NE(next->rkey, key);
  ibv_sge to = a_.piece(0, 16);
  ibv_send_wr wr = read_request(&to, b_, 0);
  wr.wr.rdma.rkey = key;
  EXPECT_EQ(statuses(wr), then_flush(IBV_WC_REM_ACCESS_ERR));
  EXPECT_EQ(b_.verbs->dereg_mr(next), 0);
}

TEST_F(RequestError, AtomicsNeedAlignedWords) {
  ibv_sge found = a_.piece(0, 8);
  EXPECT_EQ(statuses(fetch_and_add_request(&found, b_, 4, 1)), then_flush(IBV_WC_REM_INV_REQ_ERR));
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_sge wide = a_.piece(0, 16);
  EXPECT_EQ(post(qp, fetch_and_add_request(&wide, b_, 8, 1)), EINVAL);
}

TEST_F(RequestError, EarlierRequestsCompleteBeforeTheError) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ibv_sge to = a_.piece(0, 8);
                   for (std::uint64_t i = 0; i < 4; ++i) {
                     ibv_send_wr wr = read_request(&to, b_, 0);
                     wr.wr_id = i;
                     if (i == 2) wr.wr.rdma.rkey ^= 0xff;
                     ASSERT_EQ(post(qp, wr), 0);
                   }
                   const std::vector<ibv_wc> all = await(core, a_.cq, 4);
                   const ibv_wc_status expected[] = {IBV_WC_SUCCESS, IBV_WC_SUCCESS,
                                                     IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR};
                   for (std::uint64_t i = 0; i < 4; ++i) {
                     EXPECT_EQ(all[i].wr_id, i);
                     EXPECT_EQ(all[i].status, expected[i]);
                   }
                 }}});
}

TEST_F(RequestError, AReceiverThatIsNotReadyIsTriedAgainUntilItIs) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  Nanoseconds completed = 0;
  cluster_.run({{0,
                 [&, qp = qp](rdma::Core& core) {
                   ibv_sge from = a_.piece(0, 8);
                   ASSERT_EQ(post(qp, send_request(&from)), 0);
                   ASSERT_EQ(post(qp, send_request(&from)), 0);
                   for (const ibv_wc& wc : await(core, a_.cq, 2)) {
                     EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
                   }
                   completed = core.now();
                 }},
                {1, [&, peer = peer](rdma::Core& core) {
                   await_for(core, b_.cq, 35'000_ns);
                   for (std::uint64_t i = 0; i < 2; ++i) {
                     ASSERT_EQ(post_receive(peer, b_.piece(64 * i, 64), i), 0);
                   }
                   const std::vector<ibv_wc> all = await(core, b_.cq, 2);
                   EXPECT_EQ(all[0].wr_id, 0U);
                   EXPECT_EQ(all[1].wr_id, 1U);
                 }}});
  EXPECT_GT(completed, 35'000_ns);
  EXPECT_LT(completed, 60'000_ns) << "a try every 10 us and some";
  EXPECT_GE(cluster_.counter(1, "rnr_naks"), 3U);
}

TEST_F(RequestError, ReceiverNotReadyEndsAfterTheRetriesThatWereAsked) {
  ConnectionShape impatient;
  impatient.rnr_retry = 3;
  ibv_sge from = a_.piece(0, 8);
  EXPECT_EQ(statuses(send_request(&from), impatient), then_flush(IBV_WC_RNR_RETRY_EXC_ERR));
  EXPECT_EQ(cluster_.counter(1, "rnr_naks"), 4U);
  EXPECT_EQ(cluster_.counter(0, "retries"), 3U);
}

TEST_F(RequestError, APeerThatIsGoneEndsAfterTheRetries) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_ERR;
  ASSERT_EQ(b_.verbs->modify_qp(peer, &attr, IBV_QP_STATE), 0);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ibv_sge to = a_.piece(0, 8);
                   ASSERT_EQ(post(qp, read_request(&to, b_, 0)), 0);
                   EXPECT_EQ(await(core, a_.cq).front().status, IBV_WC_RETRY_EXC_ERR);
                   EXPECT_GE(core.now(), 3 * 8'192_ns) << "three tries of 8.192 us each";
                 }}});
  EXPECT_EQ(cluster_.counter(0, "retries"), 2U);
}

TEST_F(RequestError, SequenceNumbersThatDoNotAgreeLookLikeAPeerThatIsGone) {
  ibv_qp* qp = cluster_.create(0);
  ibv_qp* peer = cluster_.create(1);
  ConnectionShape other;
  other.psn = 5;
  ASSERT_EQ(cluster_.to_init(qp), 0);
  ASSERT_EQ(cluster_.to_rtr(qp, 1, peer->qp_num), 0);
  ASSERT_EQ(cluster_.to_rts(qp), 0);
  ASSERT_EQ(cluster_.to_init(peer), 0);
  ASSERT_EQ(cluster_.to_rtr(peer, 0, qp->qp_num, other), 0);
  cluster_.run({{0, [&](rdma::Core& core) {
                   ibv_sge to = a_.piece(0, 8);
                   ASSERT_EQ(post(qp, read_request(&to, b_, 0)), 0);
                   EXPECT_EQ(await(core, a_.cq).front().status, IBV_WC_RETRY_EXC_ERR);
                 }}});
}

TEST_F(RequestError, AMessageLongerThanItsReceiveFailsBothSides) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ASSERT_EQ(post_receive(peer, b_.piece(0, 4), 5), 0);
  cluster_.run({{0,
                 [&, qp = qp](rdma::Core& core) {
                   ibv_sge from = a_.piece(0, 8);
                   ASSERT_EQ(post(qp, send_request(&from)), 0);
                   EXPECT_EQ(await(core, a_.cq).front().status, IBV_WC_REM_INV_REQ_ERR);
                 }},
                {1, [&](rdma::Core& core) {
                   EXPECT_EQ(await(core, b_.cq).front().status, IBV_WC_LOC_LEN_ERR);
                 }}});
}

TEST_F(RequestError, SendQueueSlotsAreFreedOnlyByPollingACompletionBehindThem) {
  QueuePairShape shape;
  shape.send_depth = 4;
  const auto [qp, peer] = cluster_.connected(0, 1, shape);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ibv_sge from = a_.piece(0, 8);
                   ibv_send_wr silent = write_request(&from, b_, 0);
                   silent.send_flags = 0;
                   for (int i = 0; i < 3; ++i) ASSERT_EQ(post(qp, silent), 0);
                   ASSERT_EQ(post(qp, write_request(&from, b_, 0)), 0);
                   EXPECT_EQ(post(qp, silent), ENOMEM);
                   await_for(core, b_.cq, 50'000_ns);
                   EXPECT_EQ(post(qp, silent), ENOMEM) << "completed, but not polled";
                   await(core, a_.cq);
                   for (int i = 0; i < 4; ++i) EXPECT_EQ(post(qp, silent), 0);
                   await_for(core, a_.cq, 50'000_ns);
                   EXPECT_EQ(post(qp, silent), ENOMEM) << "nothing signaled will ever free them";
                 }}});
}

TEST_F(RequestError, AChainIsPostedUpToTheFirstBadRequest) {
  QueuePairShape shape;
  shape.send_depth = 2;
  const auto [qp, peer] = cluster_.connected(0, 1, shape);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ibv_sge to = a_.piece(0, 8);
                   ibv_send_wr chain[3];
                   for (int i = 0; i < 3; ++i) {
                     chain[i] = read_request(&to, b_, 0);
                     chain[i].next = i < 2 ? &chain[i + 1] : nullptr;
                   }
                   ibv_send_wr* bad = nullptr;
                   EXPECT_EQ(ibv_post_send(qp, chain, &bad), ENOMEM);
                   EXPECT_EQ(bad, &chain[2]);
                   EXPECT_EQ(await(core, a_.cq, 2).size(), 2U);
                   EXPECT_TRUE(await_for(core, a_.cq, 50'000_ns).empty());
                 }}});
}

TEST_F(RequestError, ReceiveQueueSlotsAreFreedByPolling) {
  QueuePairShape shape;
  shape.receive_depth = 2;
  const auto [qp, peer] = cluster_.connected(0, 1, shape);
  ASSERT_EQ(post_receive(peer, b_.piece(0, 64)), 0);
  ASSERT_EQ(post_receive(peer, b_.piece(0, 64)), 0);
  EXPECT_EQ(post_receive(peer, b_.piece(0, 64)), ENOMEM);
  cluster_.run({{0,
                 [&, qp = qp](rdma::Core& core) {
                   ibv_sge from = a_.piece(0, 8);
                   ASSERT_EQ(post(qp, send_request(&from)), 0);
                   await(core, a_.cq);
                 }},
                {1, [&, peer = peer](rdma::Core& core) {
                   core.idle(20'000_ns);
                   EXPECT_EQ(post_receive(peer, b_.piece(0, 64)), ENOMEM);
                   await(core, b_.cq);
                   EXPECT_EQ(post_receive(peer, b_.piece(0, 64)), 0);
                 }}});
}

TEST_F(RequestError, RequestsThatAreMalformedAreRefusedWhenPosted) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  ibv_sge pieces[5];
  for (ibv_sge& piece : pieces) piece = a_.piece(0, 8);
  ibv_send_wr wr = write_request(pieces, b_, 0);
  wr.num_sge = 5;
  EXPECT_EQ(post(qp, wr), EINVAL) << "the queue pair has room for four pieces";
  ibv_sge large = a_.piece(0, 129);
  wr = write_request(&large, b_, 0);
  wr.send_flags |= IBV_SEND_INLINE;
  EXPECT_EQ(post(qp, wr), EINVAL) << "128 bytes may be inline";
  wr = read_request(pieces, b_, 0);
  wr.send_flags |= IBV_SEND_INLINE;
  EXPECT_EQ(post(qp, wr), EINVAL);
}

TEST_F(RequestError, ACompletionQueueThatOverflowsBreaksTheQueuePair) {
  ibv_cq* small = a_.verbs->create_cq(a_.context, 2, nullptr, nullptr, 0);
  QueuePairShape shape;
  shape.send_cq = small;
  ibv_qp* qp = cluster_.create(0, shape);
  ibv_qp* peer = cluster_.create(1);
  cluster_.connect(0, qp, 1, peer);
  cluster_.run({{0, [&](rdma::Core& core) {
                   ibv_sge to = a_.piece(0, 8);
                   for (int i = 0; i < 3; ++i) ASSERT_EQ(post(qp, read_request(&to, b_, 0)), 0);
                   core.idle(50'000_ns);
                   ibv_wc wc[4];
                   EXPECT_EQ(ibv_poll_cq(small, 4, wc), 2);
                   ibv_qp_attr attr{};
                   ibv_qp_init_attr init{};
                   a_.verbs->query_qp(qp, &attr, IBV_QP_STATE, &init);
                   EXPECT_EQ(attr.qp_state, IBV_QPS_ERR);
                 }}});
  EXPECT_EQ(cluster_.counter(0, "cq_overruns"), 1U);
  a_.verbs->destroy_qp(qp);
  cluster_.forget(qp);
  EXPECT_EQ(a_.verbs->destroy_cq(small), 0);
}

}  // namespace
}  // namespace verbena::simnic
