// PRISM's operations by a NIC that has them: outcomes, errors, order, and costs.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "rdma/seam/prismdv.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr prismdv_place kScratch{PRISMDV_SCRATCH, 0};

prismdv_place memory(std::uint64_t offset) { return {PRISMDV_MEMORY, offset}; }

/// Two nodes, of which the second carries out operations of the first on its memory.
class Prism : public ::testing::Test {
 protected:
  Prism() {
    const prismdv_free_list_attr attr{.mr = b_.mr, .first = 4096, .buffer_bytes = 64, .buffers = 8};
    list_ = table_.create_free_list(b_.context, &attr);
    const std::array<std::uint64_t, 2> buffers{4096, 4160};
    EXPECT_EQ(table_.post_free(list_, buffers.data(), 2), 0);
  }

  ibv_qp* connect(const ConnectionShape& shape = {}) {
    ibv_qp* const own = cluster_.create(0);
    ibv_qp* const peer = cluster_.create(1);
    EXPECT_EQ(table_.enable_qp(own), 0);
    EXPECT_EQ(table_.enable_qp(peer), 0);
    cluster_.connect(0, own, 1, peer, shape);
    return own;
  }

  prismdv_send_wr operation(prismdv_opcode opcode, prismdv_place target, std::uint32_t length,
                            unsigned flags = 0) const {
    prismdv_send_wr wr{};
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.opcode = opcode;
    wr.flags = flags;
    wr.rkey = b_.mr->rkey;
    wr.target = target;
    wr.length = length;
    return wr;
  }
  prismdv_send_wr read(std::uint64_t offset, std::uint32_t length, unsigned flags = 0) {
    prismdv_send_wr wr = operation(PRISMDV_READ, memory(offset), length, flags);
    wr.result = a_.piece(0, length);
    return wr;
  }
  prismdv_send_wr write(prismdv_place target, ibv_sge& from, unsigned flags = 0) {
    prismdv_send_wr wr = operation(PRISMDV_WRITE, target, from.length, flags);
    wr.sg_list = &from;
    wr.num_sge = 1;
    return wr;
  }
  prismdv_send_wr allocate(ibv_sge& from) {
    prismdv_send_wr wr = write({}, from);
    wr.opcode = PRISMDV_ALLOCATE;
    wr.free_list = list_->number;
    wr.result = a_.piece(1024, 8);
    return wr;
  }
  /// Swaps the word at `offset`, if it is `compare`.
  prismdv_send_wr swap(std::uint64_t offset, std::uint64_t compare, std::uint64_t to) {
    cas_ = {};
    cas_.compare_words[0] = compare;
    cas_.swap_words[0] = to;
    cas_.compare_mask[0] = cas_.swap_mask[0] = kAll;
    prismdv_send_wr wr = operation(PRISMDV_COMPARE_AND_SWAP, memory(offset), 8);
    wr.cas = &cas_;
    wr.result = a_.piece(1032, 8);
    return wr;
  }

  int post(ibv_qp* qp, std::vector<prismdv_send_wr> chain) const {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i].next = &chain[i + 1];
    prismdv_send_wr* bad = nullptr;
    return table_.post_send(qp, chain.data(), &bad);
  }
  /// Posts a chain and returns its completions.
  std::vector<ibv_wc> completions(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    std::vector<ibv_wc> all;
    cluster_.run({{0, [&](rdma::Core& core) {
                     ASSERT_EQ(post(qp, chain), 0);
                     all = await(core, a_.cq, chain.size());
                   }}});
    return all;
  }
  std::vector<ibv_wc_status> statuses(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    std::vector<ibv_wc_status> all;
    for (const ibv_wc& wc : completions(qp, chain)) all.push_back(wc.status);
    return all;
  }
  /// Returns the outcomes of a chain that succeeds.
  std::vector<std::uint32_t> outcomes(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    std::vector<std::uint32_t> all;
    for (const ibv_wc& wc : completions(qp, chain)) {
      EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
      all.push_back(wc.vendor_err);
    }
    return all;
  }

  VerbsCluster cluster_;
  VerbsNode& a_ = cluster_.node(0);
  VerbsNode& b_ = cluster_.node(1);
  const prismdv_table& table_ = *a_.verbs->prism;
  prismdv_free_list* list_ = nullptr;
  prismdv_cas cas_{};
};

TEST_F(Prism, AReadFollowsAPointerAndItsBound) {
  b_.at<std::uint64_t>(64) = 512;
  b_.at<std::uint64_t>(72) = 3;
  std::memcpy(b_.memory.data() + 512, "abcdefgh", 8);
  const unsigned flags = PRISMDV_TARGET_INDIRECT | PRISMDV_BOUNDED;
  const std::vector<ibv_wc> done = completions(connect(), {read(64, 8, flags)});
  EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
  EXPECT_EQ(done[0].vendor_err, unsigned{PRISMDV_DONE});
  EXPECT_EQ(done[0].byte_len, 3U);
  EXPECT_EQ(std::memcmp(a_.memory.data(), "abc\0\0", 5), 0);
}

TEST_F(Prism, AnObjectIsAllocatedAndPublishedByOneChain) {
  ibv_sge object = a_.piece(2048, 16);
  a_.at<std::uint64_t>(2048) = 77;
  prismdv_send_wr allocated = allocate(object);
  allocated.redirect = kScratch;
  prismdv_send_wr swapped = swap(64, 0, 0);
  swapped.data = kScratch;
  swapped.flags = PRISMDV_CONDITIONAL;
  EXPECT_EQ(outcomes(connect(), {allocated, swapped}),
            (std::vector<std::uint32_t>{PRISMDV_DONE, PRISMDV_DONE}));
  EXPECT_EQ(b_.at<std::uint64_t>(64), 4096U);
  EXPECT_EQ(b_.at<std::uint64_t>(4096), 77U);
  EXPECT_EQ(a_.at<std::uint64_t>(1024), 4096U) << "the address comes back all the same";
  EXPECT_EQ(table_.popped(list_), 1U);
}

TEST_F(Prism, WhatIsNotDoneIsASuccessAndSkippingCascades) {
  b_.at<std::uint64_t>(64) = 5;
  prismdv_send_wr second = read(0, 8, PRISMDV_CONDITIONAL);
  EXPECT_EQ(outcomes(connect(), {swap(64, 4, 9), second, second, read(0, 8)}),
            (std::vector<std::uint32_t>{PRISMDV_NOT_SWAPPED, PRISMDV_SKIPPED, PRISMDV_SKIPPED,
                                        PRISMDV_DONE}));
  EXPECT_EQ(a_.at<std::uint64_t>(1032), 5U) << "the old value";
  EXPECT_EQ(b_.at<std::uint64_t>(64), 5U);
  EXPECT_EQ(cluster_.counter(1, "prism_skipped"), 2U);
}

TEST_F(Prism, AnEmptyListIsNoError) {
  ibv_sge object = a_.piece(2048, 16);
  ibv_qp* const qp = connect();
  EXPECT_EQ(outcomes(qp, {allocate(object), allocate(object), allocate(object)}),
            (std::vector<std::uint32_t>{PRISMDV_DONE, PRISMDV_DONE, PRISMDV_NO_BUFFER}));
  const std::uint64_t buffer = 4096;
  EXPECT_EQ(table_.post_free(list_, &buffer, 1), 0);
  EXPECT_EQ(table_.post_free(list_, &buffer, 1), EINVAL) << "it is free already";
  EXPECT_EQ(outcomes(qp, {allocate(object)}), (std::vector<std::uint32_t>{PRISMDV_DONE}));
}

TEST_F(Prism, AnErrorIsRefusedTheRestFlushedAndOthersGoOn) {
  ibv_sge object = a_.piece(2048, 65);
  const std::vector<prismdv_send_wr> wrong{
      read(VerbsCluster::kMemoryBytes - 4, 8),  // out of bounds
      read(64, 8, PRISMDV_TARGET_INDIRECT),     // a null pointer
      allocate(object)};                        // longer than a buffer
  const std::array<ibv_wc_status, 3> expected{IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_ACCESS_ERR,
                                              IBV_WC_REM_INV_REQ_ERR};
  ibv_qp* const other = connect();
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(statuses(connect(), {read(0, 8), wrong[i], read(0, 8), swap(8, 0, 1)}),
              (std::vector<ibv_wc_status>{IBV_WC_SUCCESS, expected[i], IBV_WC_WR_FLUSH_ERR,
                                          IBV_WC_WR_FLUSH_ERR}));
    EXPECT_EQ(b_.at<std::uint64_t>(8), 0U) << "nothing behind an error is done";
    EXPECT_EQ(statuses(other, {read(0, 8)}), (std::vector<ibv_wc_status>{IBV_WC_SUCCESS}));
  }
}

TEST_F(Prism, InvalidRequestsAndMissingRightsAreRefused) {
  prismdv_send_wr unaligned = swap(4, 0, 1);
  EXPECT_EQ(statuses(connect(), {unaligned})[0], IBV_WC_REM_INV_REQ_ERR);
  EXPECT_EQ(statuses(connect(), {read(64, 8, PRISMDV_BOUNDED)})[0], IBV_WC_REM_INV_REQ_ERR);
  prismdv_send_wr foreign = read(0, 8);
  foreign.rkey ^= 0xff00;
  EXPECT_EQ(statuses(connect(), {foreign})[0], IBV_WC_REM_ACCESS_ERR);
  ConnectionShape no_atomics;
  no_atomics.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  EXPECT_EQ(statuses(connect(no_atomics), {swap(64, 0, 1)})[0], IBV_WC_REM_ACCESS_ERR);
}

TEST_F(Prism, OnlyQueuePairsThatWereEnabledTakeIt) {
  const auto [qp, peer] = cluster_.connected(0, 1);
  EXPECT_EQ(table_.enable_qp(qp), EINVAL) << "too late";
  EXPECT_EQ(post(qp, {read(0, 8)}), EINVAL);
}

TEST_F(Prism, PlainRequestsAndOperationsOfAQueuePairKeepTheirOrder) {
  ibv_qp* const qp = connect();
  std::vector<ibv_wc> done;
  b_.at<std::uint64_t>(64) = 512;
  cluster_.run({{0, [&](rdma::Core& core) {
                   a_.at<std::uint64_t>(2048) = 1;
                   ibv_sge one = a_.piece(2048, 8);
                   ibv_sge seen = a_.piece(2056, 8);
                   ASSERT_EQ(simnic::post(qp, write_request(&one, b_, 512)), 0);
                   ASSERT_EQ(post(qp, {read(64, 8, PRISMDV_TARGET_INDIRECT), swap(512, 1, 2)}), 0);
                   ASSERT_EQ(simnic::post(qp, read_request(&seen, b_, 512)), 0);
                   done = await(core, a_.cq, 4);
                 }}});
  for (const ibv_wc& wc : done) EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
  EXPECT_EQ(a_.at<std::uint64_t>(0), 1U);
  EXPECT_EQ(a_.at<std::uint64_t>(2056), 2U);
}

// Operations that need nothing from memory have nothing to wait for but their turn.
TEST_F(Prism, AnswersKeepTheOrderOfRequestsThatNeedMemoryAndOthers) {
  ibv_qp* const qp = connect();
  std::vector<ibv_wc> done;
  cluster_.run({{0, [&](rdma::Core& core) {
                   ibv_sge seen = a_.piece(2056, 4096);
                   ibv_send_wr plain = read_request(&seen, b_, 512);
                   plain.wr_id = 1;
                   ASSERT_EQ(simnic::post(qp, plain), 0);
                   ibv_sge word = a_.piece(2048, 8);
                   prismdv_send_wr scratch = write(kScratch, word);
                   scratch.wr_id = 2;
                   prismdv_send_wr skipped = read(0, 8, PRISMDV_CONDITIONAL);
                   skipped.wr_id = 4;
                   prismdv_send_wr lost = swap(64, 5, 6);
                   lost.wr_id = 3;
                   ASSERT_EQ(post(qp, {scratch, lost, skipped}), 0);
                   done = await(core, a_.cq, 4);
                 }}});
  std::vector<std::uint64_t> order;
  for (const ibv_wc& wc : done) {
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
    order.push_back(wc.wr_id);
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(cluster_.counter(0, "retries"), 0U);
}

TEST_F(Prism, AnErrorWaitsForWhatCameBefore) {
  ibv_qp* const qp = connect();
  std::vector<ibv_wc> done;
  a_.at<std::uint64_t>(2048) = 9;
  cluster_.run({{0, [&](rdma::Core& core) {
                   ibv_sge one = a_.piece(2048, 8);
                   ASSERT_EQ(simnic::post(qp, write_request(&one, b_, 512)), 0);
                   ASSERT_EQ(post(qp, {read(VerbsCluster::kMemoryBytes, 8)}), 0);
                   done = await(core, a_.cq, 2);
                 }}});
  EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
  EXPECT_EQ(done[1].status, IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(b_.at<std::uint64_t>(512), 9U) << "what has completed was done";
}

TEST_F(Prism, AQueuePairThatIsResetForgetsWhatWasPending) {
  const auto [qp, peer] = [&] {
    ibv_qp* const own = cluster_.create(0);
    ibv_qp* const other = cluster_.create(1);
    EXPECT_EQ(table_.enable_qp(own), 0);
    EXPECT_EQ(table_.enable_qp(other), 0);
    cluster_.connect(0, own, 1, other);
    return std::pair(own, other);
  }();
  b_.at<std::uint64_t>(64) = 512;
  std::vector<ibv_wc> done;
  cluster_.run({{0,
                 [&, qp = qp](rdma::Core& core) {
                   const prismdv_send_wr indirect = read(64, 8, PRISMDV_TARGET_INDIRECT);
                   ASSERT_EQ(post(qp, {indirect, swap(512, 0, 1), indirect}), 0);
                   done = await(core, a_.cq, 3);
                 }},
                {1, [&, peer = peer](rdma::Core& core) {
                   core.idle(core.now() + 1300_ns);  // in the midst of the first one
                   ibv_qp_attr reset{};
                   reset.qp_state = IBV_QPS_RESET;
                   EXPECT_EQ(b_.verbs->modify_qp(peer, &reset, IBV_QP_STATE), 0);
                 }}});
  EXPECT_EQ(done[0].status, IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(done[2].status, IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(statuses(connect(), {read(0, 8)}), (std::vector<ibv_wc_status>{IBV_WC_SUCCESS}));
}

// Unloaded, between posting and completion.
class PrismCosts : public Prism {
 protected:
  Picoseconds latency(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    Picoseconds took{};
    cluster_.run({{0, [&](rdma::Core& core) {
                     core.idle(core.now() + 10 * kMicrosecond);
                     ASSERT_EQ(post(qp, chain), 0);
                     const Nanoseconds began = core.now();
                     await(core, a_.cq, chain.size());
                     took = to_picoseconds(core.now() - began);
                   }}});
    return took;
  }
};

TEST_F(PrismCosts, EachPointerIsAReadOfHostMemory) {
  ibv_qp* const qp = connect();
  b_.at<std::uint64_t>(64) = 512;
  latency(qp, {read(512, 8)});
  const Picoseconds direct = latency(qp, {read(512, 8)});
  EXPECT_EQ(cluster_.counter(1, "prism_fetches"), 0U);
  const Picoseconds indirect = latency(qp, {read(64, 8, PRISMDV_TARGET_INDIRECT)});
  EXPECT_EQ(cluster_.counter(1, "prism_fetches"), 1U);
  const Picoseconds more = indirect - direct;
  EXPECT_GT(more, to_picoseconds(540_ns));
  EXPECT_LT(more, to_picoseconds(600_ns));
}

TEST_F(PrismCosts, ScratchOnTheNicCostsNothing) {
  ibv_qp* const qp = connect();
  ibv_sge word = a_.piece(2048, 8);
  prismdv_send_wr into = write(kScratch, word);
  into.send_flags |= IBV_SEND_INLINE;
  prismdv_send_wr from = swap(64, 0, 0);
  from.data = kScratch;
  from.flags = PRISMDV_CONDITIONAL;
  latency(qp, {swap(64, 0, 0)});
  const Picoseconds alone = latency(qp, {swap(64, 0, 0)});
  const Picoseconds behind = latency(qp, {into, from});
  // Time of the units for one more operation, and its doorbell instead of a BlueFlame write.
  EXPECT_LT(behind - alone, to_picoseconds(700_ns));
  EXPECT_EQ(cluster_.counter(1, "prism_fetches"), 0U);
}

}  // namespace
}  // namespace verbena::simnic
