// PRISM's operations by a NIC that has them: unloaded latency, between posting and completion.
#include <gtest/gtest.h>

#include <vector>

#include "tests/simnic/verbs/prism_cluster.h"

namespace verbena::simnic {
namespace {

class PrismCosts : public Prism {
 protected:
  using Prism::Prism;

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

/// A NIC with room for the scratch of one connection.
class PrismScratch : public PrismCosts {
 protected:
  PrismScratch() : PrismCosts(options()) {}
  static SimOptions options() {
    SimOptions options;
    options.overrides.set("nic.prism_scratch_bytes", "32");
    return options;
  }
  std::vector<prismdv_send_wr> swap_from_scratch(std::uint64_t value) {
    a_.at<std::uint64_t>(2048) = value;
    word_ = a_.piece(2048, 8);
    prismdv_send_wr from = swap(64, value - 1, 0);
    from.data = kScratch;
    return {write(kScratch, word_), from};
  }

 private:
  ibv_sge word_{};
};

TEST_F(PrismScratch, InHostMemoryHoldsTheSameAndTakesAReadOfIt) {
  ibv_qp* const first = connect();
  ibv_qp* const second = connect();
  latency(first, swap_from_scratch(1));
  latency(second, swap_from_scratch(2));
  const Picoseconds on_nic = latency(first, swap_from_scratch(3));
  EXPECT_EQ(b_.at<std::uint64_t>(64), 3U);
  const Picoseconds in_host = latency(second, swap_from_scratch(4));
  EXPECT_EQ(b_.at<std::uint64_t>(64), 4U);
  // Written and read: as much as two pointers.
  EXPECT_GT(in_host - on_nic, to_picoseconds(1000_ns));
  EXPECT_LT(in_host - on_nic, to_picoseconds(1150_ns));
}

TEST_F(PrismCosts, NoMoreOperationsThanAllowedAreInFlight) {
  ConnectionShape two;
  two.max_reads = 2;
  ibv_qp* const narrow = connect(two);
  ibv_qp* const wide = connect();
  b_.at<std::uint64_t>(64) = 512;
  const std::vector<prismdv_send_wr> chain(12, read(64, 8, PRISMDV_TARGET_INDIRECT));
  latency(narrow, chain);
  latency(wide, chain);
  const Picoseconds one = latency(wide, {chain[0]});
  EXPECT_LT(latency(wide, chain), 2 * one);
  EXPECT_GT(latency(narrow, chain), 5 * one) << "six times two";
}

}  // namespace
}  // namespace verbena::simnic
