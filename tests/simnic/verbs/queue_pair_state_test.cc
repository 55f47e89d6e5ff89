// The queue pair state machine: transitions, attribute masks, what may be posted in which state.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

class QueuePairState : public ::testing::Test {
 protected:
  int modify(ibv_qp* qp, ibv_qp_attr attr, int mask) {
    return cluster_.node(0).verbs->modify_qp(qp, &attr, mask);
  }
  ibv_qp_state state(ibv_qp* qp) {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    EXPECT_EQ(cluster_.node(0).verbs->query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
    return attr.qp_state;
  }

  VerbsCluster cluster_;
};

TEST_F(QueuePairState, StatesFollowEachOtherAndNoneIsSkipped) {
  ibv_qp* qp = cluster_.create(0);
  EXPECT_EQ(state(qp), IBV_QPS_RESET);
  EXPECT_EQ(cluster_.to_rtr(qp, 1, 1), EINVAL);
  EXPECT_EQ(cluster_.to_rts(qp), EINVAL);
  EXPECT_EQ(cluster_.to_init(qp), 0);
  EXPECT_EQ(cluster_.to_rts(qp), EINVAL);
  EXPECT_EQ(cluster_.to_rtr(qp, 1, 1), 0);
  EXPECT_EQ(cluster_.to_rtr(qp, 1, 1), EINVAL);
  EXPECT_EQ(cluster_.to_rts(qp), 0);
  EXPECT_EQ(state(qp), IBV_QPS_RTS);
  EXPECT_EQ(cluster_.to_init(qp), EINVAL);
}

TEST_F(QueuePairState, EveryRequiredAttributeIsRequired) {
  const int init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  ibv_qp* qp = cluster_.create(0);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  for (const int bit : {IBV_QP_PKEY_INDEX, IBV_QP_PORT, IBV_QP_ACCESS_FLAGS}) {
    EXPECT_EQ(modify(qp, attr, init_mask & ~bit), EINVAL) << bit;
  }
  EXPECT_EQ(modify(qp, attr, init_mask | IBV_QP_QKEY), EINVAL) << "not for connections";
  EXPECT_EQ(modify(qp, attr, init_mask), 0);
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.ah_attr.dlid = cluster_.node(1).port.lid;
  const int rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                       IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  for (const int bit : {IBV_QP_AV, IBV_QP_PATH_MTU, IBV_QP_DEST_QPN, IBV_QP_RQ_PSN,
                        IBV_QP_MAX_DEST_RD_ATOMIC, IBV_QP_MIN_RNR_TIMER}) {
    EXPECT_EQ(modify(qp, attr, rtr_mask & ~bit), EINVAL) << bit;
  }
  EXPECT_EQ(modify(qp, attr, rtr_mask), 0);
  attr.qp_state = IBV_QPS_RTS;
  const int rts_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                       IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
  for (const int bit : {IBV_QP_TIMEOUT, IBV_QP_RETRY_CNT, IBV_QP_RNR_RETRY, IBV_QP_SQ_PSN,
                        IBV_QP_MAX_QP_RD_ATOMIC}) {
    EXPECT_EQ(modify(qp, attr, rts_mask & ~bit), EINVAL) << bit;
  }
  EXPECT_EQ(modify(qp, attr, rts_mask), 0);
}

TEST_F(QueuePairState, ValuesOutOfRangeAreRefused) {
  ibv_qp* qp = cluster_.create(0);
  ASSERT_EQ(cluster_.to_init(qp), 0);
  ConnectionShape shape;
  shape.max_reads = 17;
  EXPECT_EQ(cluster_.to_rtr(qp, 1, 1, shape), EINVAL) << "the device allows 16";
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.ah_attr.dlid = 999;
  EXPECT_EQ(modify(qp, attr,
                   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
            EINVAL)
      << "nobody has this LID";
}

TEST_F(QueuePairState, SendsNeedReadyToSendAndReceivesMoreThanReset) {
  ibv_qp* qp = cluster_.create(0);
  ibv_sge piece = cluster_.node(0).piece(0, 8);
  const ibv_send_wr send = send_request(&piece);
  EXPECT_EQ(post(qp, send), EINVAL);
  EXPECT_EQ(post_receive(qp, piece), EINVAL);
  ASSERT_EQ(cluster_.to_init(qp), 0);
  EXPECT_EQ(post(qp, send), EINVAL);
  EXPECT_EQ(post_receive(qp, piece), 0);
  ASSERT_EQ(cluster_.to_rtr(qp, 1, 1), 0);
  EXPECT_EQ(post(qp, send), EINVAL);
  ASSERT_EQ(cluster_.to_rts(qp), 0);
  EXPECT_EQ(post(qp, send), 0);
}

TEST_F(QueuePairState, TheErrorStateFlushesBothQueuesInOrder) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  VerbsNode& a = cluster_.node(0);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ASSERT_EQ(post_receive(qp, a.piece(0, 64), 100), 0);
                   ibv_sge to = a.piece(64, 8);
                   for (std::uint64_t i = 0; i < 3; ++i) {
                     ibv_send_wr wr = read_request(&to, cluster_.node(1), 0);
                     wr.wr_id = i;
                     wr.send_flags = 0;
                     ASSERT_EQ(post(qp, wr), 0);
                   }
                   ibv_qp_attr attr{};
                   attr.qp_state = IBV_QPS_ERR;
                   ASSERT_EQ(modify(qp, attr, IBV_QP_STATE), 0);
                   std::vector<std::uint64_t> ids;
                   for (const ibv_wc& wc : await(core, a.cq, 4)) {
                     EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
                     ids.push_back(wc.wr_id);
                   }
                   EXPECT_EQ(ids, (std::vector<std::uint64_t>{0, 1, 2, 100}));
                   // A request that is posted afterwards is flushed too.
                   ibv_send_wr late = read_request(&to, cluster_.node(1), 0);
                   late.wr_id = 9;
                   EXPECT_EQ(post(qp, late), 0);
                   EXPECT_EQ(await(core, a.cq).front().status, IBV_WC_WR_FLUSH_ERR);
                 }}});
}

TEST_F(QueuePairState, ResetForgetsAndTheQueuePairCanBeConnectedAgain) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  VerbsNode& a = cluster_.node(0);
  ibv_sge to = a.piece(64, 8);
  ASSERT_EQ(post(qp, read_request(&to, cluster_.node(1), 0)), 0);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RESET;
  ASSERT_EQ(modify(qp, attr, IBV_QP_STATE), 0);
  ASSERT_EQ(modify(peer, attr, IBV_QP_STATE), 0);
  cluster_.connect(0, qp, 1, peer);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   EXPECT_TRUE(await_for(core, a.cq, 100'000_ns).empty());
                   ASSERT_EQ(post(qp, read_request(&to, cluster_.node(1), 0)), 0);
                   EXPECT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                 }}});
}

TEST_F(QueuePairState, WhatIsInUseIsNotDestroyed) {
  VerbsNode& a = cluster_.node(0);
  cluster_.create(0);
  EXPECT_EQ(a.verbs->destroy_cq(a.cq), EBUSY);
  EXPECT_EQ(a.verbs->dealloc_pd(a.pd), EBUSY);
  EXPECT_EQ(a.verbs->close_device(a.context), EBUSY);
}

TEST_F(QueuePairState, CreationKeepsToTheDevicesLimits) {
  VerbsNode& a = cluster_.node(0);
  ibv_device_attr device{};
  ASSERT_EQ(a.verbs->query_device(a.context, &device), 0);
  EXPECT_EQ(device.atomic_cap, IBV_ATOMIC_HCA);
  ibv_qp_init_attr init{};
  init.qp_type = IBV_QPT_RC;
  init.send_cq = init.recv_cq = a.cq;
  init.cap.max_send_wr = static_cast<std::uint32_t>(device.max_qp_wr) + 1;
  EXPECT_EQ(a.verbs->create_qp(a.pd, &init), nullptr);
  EXPECT_EQ(errno, EINVAL);
  init.cap.max_send_wr = 1;
  init.cap.max_inline_data = 1 << 16;
  EXPECT_EQ(a.verbs->create_qp(a.pd, &init), nullptr);
  EXPECT_EQ(a.verbs->create_comp_channel(a.context), nullptr);
  EXPECT_EQ(errno, ENOSYS);
  EXPECT_EQ(ibv_req_notify_cq(a.cq, 0), ENOSYS);
}

}  // namespace
}  // namespace verbena::simnic
