// One-sided requests, messages and atomics over reliable connections.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

class ReliableConnection : public ::testing::Test {
 protected:
  VerbsCluster cluster_;
  VerbsNode& a_ = cluster_.node(0);
  VerbsNode& b_ = cluster_.node(1);
};

TEST_F(ReliableConnection, ReadBringsRemoteMemory) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  std::memcpy(&b_.at<char>(100), "remote memory", 14);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ibv_sge to = a_.piece(512, 14);
                   ibv_send_wr wr = read_request(&to, b_, 100);
                   wr.wr_id = 42;
                   ASSERT_EQ(post(qp, wr), 0);
                   const ibv_wc wc = await(core, a_.cq).front();
                   EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
                   EXPECT_EQ(wc.opcode, IBV_WC_RDMA_READ);
                   EXPECT_EQ(wc.wr_id, 42U);
                   EXPECT_EQ(wc.qp_num, qp->qp_num);
                   EXPECT_STREQ(&a_.at<char>(512), "remote memory");
                 }}});
}

TEST_F(ReliableConnection, WriteTakesTheSourceWhenItIsSentAndInlineWhenItIsPosted) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   a_.at<std::uint64_t>(0) = 1;
                   ibv_sge from = a_.piece(0, 8);
                   ibv_send_wr wr = write_request(&from, b_, 0);
                   wr.send_flags |= IBV_SEND_INLINE;
                   ASSERT_EQ(post(qp, wr), 0);
                   wr = write_request(&from, b_, 8);
                   ASSERT_EQ(post(qp, wr), 0);
                   a_.at<std::uint64_t>(0) = 2;
                   await(core, a_.cq, 2);
                   EXPECT_EQ(b_.at<std::uint64_t>(0), 1U);
                   EXPECT_EQ(b_.at<std::uint64_t>(8), 2U);
                 }}});
}

TEST_F(ReliableConnection, MessagesMeetReceivesInOrderOnBothSides) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  for (std::uint64_t i = 0; i < 3; ++i)
    ASSERT_EQ(post_receive(peer, b_.piece(i * 64, 64), 100 + i), 0);
  cluster_.run({{0,
                 [&, qp = qp](rdma::Core& core) {
                   for (std::uint32_t i = 0; i < 3; ++i) {
                     a_.at<std::uint32_t>(i * 64) = 7 + i;
                     ibv_sge from = a_.piece(i * 64, 4);
                     ibv_send_wr wr = send_request(&from);
                     wr.wr_id = i;
                     wr.opcode = IBV_WR_SEND_WITH_IMM;
                     wr.imm_data = i;
                     ASSERT_EQ(post(qp, wr), 0);
                   }
                   std::uint64_t next = 0;
                   for (const ibv_wc& wc : await(core, a_.cq, 3)) {
                     EXPECT_EQ(wc.wr_id, next++);
                     EXPECT_EQ(wc.opcode, IBV_WC_SEND);
                   }
                 }},
                {1, [&](rdma::Core& core) {
                   std::uint32_t next = 0;
                   for (const ibv_wc& wc : await(core, b_.cq, 3)) {
                     EXPECT_EQ(wc.opcode, IBV_WC_RECV);
                     EXPECT_EQ(wc.wr_id, 100 + next);
                     EXPECT_EQ(wc.byte_len, 4U);
                     EXPECT_EQ(wc.wc_flags, static_cast<unsigned>(IBV_WC_WITH_IMM));
                     EXPECT_EQ(wc.imm_data, next);
                     EXPECT_EQ(b_.at<std::uint32_t>(next * 64), 7 + next);
                     ++next;
                   }
                 }}});
}

TEST_F(ReliableConnection, AtomicsReturnWhatTheyFoundAndChangeTheWord) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  b_.at<std::uint64_t>(64) = 10;
  cluster_.run({{0, [&, qp = qp](rdma::Core& core) {
                   ibv_sge found = a_.piece(0, 8);
                   ASSERT_EQ(post(qp, compare_and_swap_request(&found, b_, 64, 10, 20)), 0);
                   EXPECT_EQ(await(core, a_.cq).front().opcode, IBV_WC_COMP_SWAP);
                   EXPECT_EQ(a_.at<std::uint64_t>(0), 10U);
                   EXPECT_EQ(b_.at<std::uint64_t>(64), 20U);
                   ASSERT_EQ(post(qp, compare_and_swap_request(&found, b_, 64, 10, 30)), 0);
                   await(core, a_.cq);
                   EXPECT_EQ(a_.at<std::uint64_t>(0), 20U);
                   EXPECT_EQ(b_.at<std::uint64_t>(64), 20U);
                   ASSERT_EQ(post(qp, fetch_and_add_request(&found, b_, 64, 5)), 0);
                   EXPECT_EQ(await(core, a_.cq).front().opcode, IBV_WC_FETCH_ADD);
                   EXPECT_EQ(a_.at<std::uint64_t>(0), 20U);
                   EXPECT_EQ(b_.at<std::uint64_t>(64), 25U);
                 }}});
}

}  // namespace
}  // namespace verbena::simnic
