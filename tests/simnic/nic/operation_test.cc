// The table of operations: each row is complete, and agrees with itself and with libibverbs.
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "simnic/nic/operations.h"

namespace verbena::simnic {
namespace {

class OperationRow : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Operation& row_ = kOperations[GetParam()];
  const OperationTraits& traits_ = row_.traits;
};

TEST_P(OperationRow, IsFoundByItsOpcode) {
  EXPECT_EQ(find_operation(static_cast<ibv_wr_opcode>(row_.opcode)), &row_);
  EXPECT_EQ(number_of(row_), GetParam());
}

TEST_P(OperationRow, HasWhatEachOperationNeeds) {
  EXPECT_TRUE(may_post(IBV_QPT_RC, row_));
  EXPECT_LT(row_.counter, Counter::kCount);
  EXPECT_NE(row_.requester_service, nullptr);
  EXPECT_NE(row_.responder_service, nullptr);
  EXPECT_NE(row_.response_headers[0], nullptr);
  EXPECT_NE(traits_.carries_payload, traits_.returns_data);
  EXPECT_EQ(row_.completes_as & IBV_WC_RECV, 0);
}

TEST_P(OperationRow, NamesRemoteMemoryIfItHasAnEffectThere) {
  const bool names = traits_.effect != Effect::kNone;
  EXPECT_EQ(row_.access != 0, names);
  EXPECT_EQ(row_.wqe_segment_bytes != 0, names);
  EXPECT_EQ(row_.line_order != LineOrder::kAtOnce, names);
  EXPECT_FALSE(may_post(IBV_QPT_UD, row_) && names);
  EXPECT_TRUE(names || (traits_.takes_receive && traits_.by_receivers));
  EXPECT_EQ(row_.alignment & (row_.alignment - 1), 0);
  EXPECT_NE(row_.alignment, 0);
}

TEST_P(OperationRow, BringsDataBackOnlyOnReliableQueuePairs) {
  if (!traits_.returns_data) {
    EXPECT_FALSE(traits_.returns_payload);
    return;
  }
  EXPECT_EQ(row_.queue_pair_types, type_bit(IBV_QPT_RC));
  EXPECT_TRUE(traits_.counts_as_read);
  EXPECT_FALSE(traits_.takes_receive);
  // A result that is not payload has a header of its own.
  EXPECT_EQ(row_.response_headers[1] == nullptr, traits_.returns_payload);
}

TEST_P(OperationRow, SlotOfAtomicsIsForOneAlignedWord) {
  EXPECT_EQ(row_.line_order == LineOrder::kReadThenWrite, traits_.takes_atomic_slot);
  if (!traits_.takes_atomic_slot) return;
  EXPECT_EQ(row_.only_bytes, 8);
  EXPECT_EQ(row_.alignment, 8);
  EXPECT_EQ(row_.access, IBV_ACCESS_REMOTE_ATOMIC);
}

TEST_P(OperationRow, ReceiveCompletesAsOne) {
  EXPECT_EQ((row_.received_as & IBV_WC_RECV) != 0, traits_.takes_receive);
  EXPECT_TRUE(traits_.takes_receive || !traits_.has_immediate);
  bool sends_immediate = false;
  for (const NicBytes header : row_.request_headers) {
    sends_immediate |= header == &NicProfile::immediate;
  }
  EXPECT_EQ(sends_immediate, traits_.has_immediate);
}

INSTANTIATE_TEST_SUITE_P(Operations, OperationRow,
                         ::testing::Range(std::size_t{0}, kVerbsOperations),
                         [](const auto& row) { return "Number" + std::to_string(row.param); });

TEST(Operations, EachOpcodeHasOneRow) {
  std::set<unsigned> opcodes;
  for (const Operation& operation : kOperations) {
    EXPECT_TRUE(opcodes.insert(operation.opcode).second) << unsigned{operation.opcode};
  }
  std::set<unsigned> expected{
      IBV_WR_RDMA_WRITE,          IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND,
      IBV_WR_SEND_WITH_IMM,       IBV_WR_RDMA_READ,           IBV_WR_ATOMIC_CMP_AND_SWP,
      IBV_WR_ATOMIC_FETCH_AND_ADD};
  for (unsigned i = 0; i < kPrismOperations.size(); ++i) expected.insert(kFirstPrismOpcode + i);
  EXPECT_EQ(opcodes, expected);
}

TEST(Operations, ThoseOfPrismAreForReliableQueuePairsAndKeepTheirResults) {
  for (const Operation& operation : kPrismOperations) {
    EXPECT_EQ(
        &operation_of(static_cast<rdma::ChainOpcode>(&operation - kPrismOperations.data())).traits,
        &kOperations[kVerbsOperations +
                     static_cast<std::size_t>(&operation - kPrismOperations.data())]
             .traits);
    EXPECT_EQ(operation.queue_pair_types, type_bit(IBV_QPT_RC));
    EXPECT_EQ(operation.traits.effect, Effect::kChain);
    EXPECT_TRUE(operation.traits.counts_as_read);
    EXPECT_NE(operation.requester_service, nullptr);
    EXPECT_NE(operation.responder_service, nullptr);
    EXPECT_EQ(operation.completes_as & IBV_WC_RECV, 0);
  }
}

TEST(Operations, OpcodesThatTheNicLacksAreNotFound) {
  for (const auto opcode : {IBV_WR_LOCAL_INV, IBV_WR_BIND_MW, IBV_WR_SEND_WITH_INV, IBV_WR_TSO}) {
    EXPECT_EQ(find_operation(opcode), nullptr) << opcode;
  }
}

TEST(Operations, CompletionsHaveTheOpcodesOfLibibverbs) {
  EXPECT_EQ(find_operation(IBV_WR_RDMA_WRITE_WITH_IMM)->completes_as, IBV_WC_RDMA_WRITE);
  EXPECT_EQ(find_operation(IBV_WR_SEND_WITH_IMM)->completes_as, IBV_WC_SEND);
  EXPECT_EQ(find_operation(IBV_WR_ATOMIC_FETCH_AND_ADD)->completes_as, IBV_WC_FETCH_ADD);
  EXPECT_EQ(find_operation(IBV_WR_SEND_WITH_IMM)->received_as, IBV_WC_RECV);
  EXPECT_EQ(find_operation(IBV_WR_RDMA_WRITE_WITH_IMM)->received_as, IBV_WC_RECV_RDMA_WITH_IMM);
}

}  // namespace
}  // namespace verbena::simnic
