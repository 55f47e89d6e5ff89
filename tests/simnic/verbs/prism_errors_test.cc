// PRISM's operations by a NIC that has them: what is refused, and what a queue pair's state does to
// requests in flight.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <set>
#include <vector>

#include "tests/simnic/verbs/prism_cluster.h"

namespace verbena::simnic {
namespace {

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

/// Something happens at the server while a chain is on its way, at times that a test goes through:
/// before the first operation, in the midst of each, and after the last.
class PrismInTheMidst : public Prism {
 protected:
  static constexpr Nanoseconds kFirst = 800_ns;
  static constexpr Nanoseconds kLast = 6000_ns;
  static constexpr Nanoseconds kBetween = 40_ns;

  /// Follows a pointer, swaps the word that it leads to from `from` to `from + 1`, and follows it
  /// again; at `time` the server does `what`.
  std::vector<ibv_wc_status> statuses_when(ibv_qp* qp, std::uint32_t rkey, std::uint64_t from,
                                           Nanoseconds time, const std::function<void()>& what) {
    b_.at<std::uint64_t>(64) = 512;
    std::vector<ibv_wc_status> all;
    std::vector<prismdv_send_wr> chain{read(64, 8, PRISMDV_TARGET_INDIRECT),
                                       swap(512, from, from + 1),
                                       read(64, 8, PRISMDV_TARGET_INDIRECT)};
    for (prismdv_send_wr& wr : chain) wr.rkey = rkey;
    cluster_.run({{0,
                   [&](rdma::Core& core) {
                     ASSERT_EQ(post(qp, chain), 0);
                     all = statuses_of(await(core, a_.cq, chain.size()));
                   }},
                  {1, [&](rdma::Core& core) {
                     core.idle(core.now() + time);
                     what();
                   }}});
    return all;
  }

  /// Successes, then `error`, then flushed requests; returns the number of successes.
  static std::size_t successes_before(const std::vector<ibv_wc_status>& all, ibv_wc_status error) {
    const auto failed =
        std::ranges::find_if(all, [](ibv_wc_status status) { return status != IBV_WC_SUCCESS; });
    if (failed != all.end()) {
      EXPECT_EQ(*failed, error);
      EXPECT_TRUE(std::all_of(failed + 1, all.end(),
                              [](ibv_wc_status status) { return status == IBV_WC_WR_FLUSH_ERR; }));
    }
    return static_cast<std::size_t>(failed - all.begin());
  }

  /// Takes the server's queue pair to `state` at each of the times.
  void expect_order_when_peer_goes_to(ibv_qp_state state) {
    std::set<std::size_t> seen;
    for (Nanoseconds time = kFirst; time <= kLast; time += kBetween) {
      SCOPED_TRACE(time.count());
      const auto [qp, peer] = connected();
      const std::uint64_t before = b_.at<std::uint64_t>(512);
      std::uint64_t then = 0;
      const auto all = statuses_when(qp, b_.mr->rkey, before, time, [&, at_server = peer] {
        ibv_qp_attr attr{};
        attr.qp_state = state;
        EXPECT_EQ(b_.verbs->modify_qp(at_server, &attr, IBV_QP_STATE), 0);
        then = b_.at<std::uint64_t>(512);
      });
      const std::size_t successes = successes_before(all, IBV_WC_RETRY_EXC_ERR);
      seen.insert(successes);
      EXPECT_EQ(b_.at<std::uint64_t>(512), then) << "nothing is done later";
      if (successes > 1) {
        EXPECT_EQ(then, before + 1);
      }
      EXPECT_EQ(statuses(connect(), {read(0, 8)}), (std::vector<ibv_wc_status>{IBV_WC_SUCCESS}))
          << "others are unharmed";
    }
    EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2, 3})) << "it happened between all of them";
  }
};

TEST_F(PrismInTheMidst, APeerThatIsResetForgetsWhatWasPending) {
  expect_order_when_peer_goes_to(IBV_QPS_RESET);
}

TEST_F(PrismInTheMidst, APeerInTheErrorStateForgetsWhatWasPending) {
  expect_order_when_peer_goes_to(IBV_QPS_ERR);
}

TEST_F(PrismInTheMidst, MemoryThatIsDeregisteredIsAnErrorToWhateverComesLater) {
  std::set<std::size_t> seen;
  for (Nanoseconds time = kFirst; time <= kLast; time += kBetween) {
    SCOPED_TRACE(time.count());
    ibv_mr* const region = b_.verbs->reg_mr(b_.pd, b_.memory.data(), VerbsCluster::kMemoryBytes,
                                            VerbsCluster::kAllAccess);
    const std::uint64_t before = b_.at<std::uint64_t>(512);
    const auto all = statuses_when(connect(), region->rkey, before, time,
                                   [&] { EXPECT_EQ(b_.verbs->dereg_mr(region), 0); });
    const std::size_t successes = successes_before(all, IBV_WC_REM_ACCESS_ERR);
    seen.insert(successes);
    if (successes < 2) {
      EXPECT_EQ(b_.at<std::uint64_t>(512), before) << "nothing is done later";
    }
    if (successes > 1) {
      EXPECT_EQ(b_.at<std::uint64_t>(512), before + 1);
    }
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2, 3})) << "it happened between all of them";
}

TEST_F(PrismInTheMidst, TheOwnErrorStateFlushesWhatIsPending) {
  for (Nanoseconds time = kFirst; time <= kLast; time += kBetween) {
    SCOPED_TRACE(time.count());
    ibv_qp* const qp = connect();
    std::vector<ibv_wc> done;
    cluster_.run({{0, [&](rdma::Core& core) {
                     b_.at<std::uint64_t>(64) = 512;
                     const prismdv_send_wr indirect = read(64, 8, PRISMDV_TARGET_INDIRECT);
                     ASSERT_EQ(post(qp, {indirect, indirect, indirect}), 0);
                     core.idle(core.now() + time);
                     ibv_qp_attr attr{};
                     attr.qp_state = IBV_QPS_ERR;
                     EXPECT_EQ(a_.verbs->modify_qp(qp, &attr, IBV_QP_STATE), 0);
                     done = await_for(core, a_.cq, 100 * kMicrosecond);
                   }}});
    const std::vector<ibv_wc_status> all = statuses_of(done);
    EXPECT_EQ(all.size(), 3U) << "each completes once";
    successes_before(all, IBV_WC_WR_FLUSH_ERR);
  }
}

}  // namespace
}  // namespace verbena::simnic
