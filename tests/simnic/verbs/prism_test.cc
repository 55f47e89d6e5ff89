// PRISM's operations by a NIC that has them: outcomes and order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "tests/simnic/verbs/prism_cluster.h"

namespace verbena::simnic {
namespace {

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

TEST_F(Prism, AConditionIsOnTheOperationBeforeWhateverPlainRequestsCameBetween) {
  ibv_qp* const qp = connect();
  std::vector<ibv_wc> done;
  b_.at<std::uint64_t>(64) = 5;
  cluster_.run({{0, [&](rdma::Core& core) {
                   ibv_sge one = a_.piece(2048, 8);
                   ASSERT_EQ(post(qp, {swap(64, 4, 9)}), 0);
                   ASSERT_EQ(simnic::post(qp, write_request(&one, b_, 512)), 0);
                   ASSERT_EQ(post(qp, {read(0, 8, PRISMDV_CONDITIONAL)}), 0);
                   done = await(core, a_.cq, 3);
                 }}});
  EXPECT_EQ(done[0].vendor_err, unsigned{PRISMDV_NOT_SWAPPED});
  EXPECT_EQ(done[1].status, IBV_WC_SUCCESS);
  EXPECT_EQ(done[2].vendor_err, unsigned{PRISMDV_SKIPPED});
}

/// In fast mode, or with accesses of operations that spread over time.
class PrismAndAtomics : public Prism, public ::testing::WithParamInterface<bool> {
 protected:
  PrismAndAtomics() : Prism(options()) {}
  static SimOptions options() {
    SimOptions options;
    options.nodes = 3;
    options.chaos = GetParam();
    if (options.chaos) options.overrides.set("fabric.chaos_jitter_ns", "3000");
    return options;
  }

  static constexpr std::uint64_t kCounters = 96;  // 32 B
  /// Adds 1 to the first of four counters, and writes the others as they were read.
  bool swap_all(rdma::Core& core, ibv_qp* qp) {
    std::vector<ibv_wc> done;
    EXPECT_EQ(post(qp, {read(kCounters, 32)}), 0);
    await(core, a_.cq, 1);
    cas_ = {};
    std::memcpy(cas_.compare_words, a_.memory.data(), 32);
    std::memcpy(cas_.swap_words, a_.memory.data(), 32);
    ++cas_.swap_words[0];
    std::ranges::fill(cas_.compare_mask, kAll);
    std::ranges::fill(cas_.swap_mask, kAll);
    prismdv_send_wr wr = operation(PRISMDV_COMPARE_AND_SWAP, memory(kCounters), 32);
    wr.cas = &cas_;
    wr.result = a_.piece(1032, 32);
    EXPECT_EQ(post(qp, {wr}), 0);
    return await(core, a_.cq, 1)[0].vendor_err == PRISMDV_DONE;
  }
};

TEST_P(PrismAndAtomics, ExcludeEachOther) {
  constexpr std::uint64_t kAdditions = 400;
  ibv_qp* const qp = connect();
  const auto [adding, peer] = cluster_.connected(2, 1);
  VerbsNode& c = cluster_.node(2);
  std::uint64_t swapped = 0;
  std::uint64_t tried = 0;
  bool added = false;
  cluster_.run({{0,
                 [&](rdma::Core& core) {
                   while (!added) {
                     ++tried;
                     swapped += swap_all(core, qp) ? 1 : 0;
                   }
                 }},
                {2, [&, adding = adding](rdma::Core& core) {
                   ibv_sge found = c.piece(0, 8);
                   for (std::uint64_t i = 0; i < kAdditions; ++i) {
                     ASSERT_EQ(
                         simnic::post(adding, fetch_and_add_request(&found, b_, kCounters + 24, 1)),
                         0);
                     await(core, c.cq, 1);
                     core.idle(core.now() + static_cast<std::int64_t>(i * 7 % 31) * kMicrosecond);
                   }
                   added = true;
                 }}});
  EXPECT_EQ(b_.at<std::uint64_t>(kCounters + 24), kAdditions) << "none is overwritten";
  EXPECT_EQ(b_.at<std::uint64_t>(kCounters), swapped);
  EXPECT_GT(swapped, 0U);
  EXPECT_LT(swapped, tried) << "they met";
}

INSTANTIATE_TEST_SUITE_P(Modes, PrismAndAtomics, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Chaos" : "Fast"; });

}  // namespace
}  // namespace verbena::simnic
