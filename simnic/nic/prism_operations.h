// Operations of PRISM (section 3 of its paper): rows for the table in operations.h.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "rdma/chain/operation.h"
#include "simnic/nic/operation.h"
#include "simnic/observe/observer.h"

namespace verbena::simnic {

inline constexpr std::uint8_t kReliable = type_bit(IBV_QPT_RC);

/// Returns the row of an operation that takes the units as long as `like` of libibverbs. All have a
/// result, at least an outcome, which a responder keeps while it may be asked for again, so all
/// count as reads. Sizes, headers and accesses to memory depend on each request.
constexpr Operation prism_operation(rdma::ChainOpcode opcode, Counter counter, bool carries_payload,
                                    ibv_wc_opcode completes_as, NicTime requester,
                                    NicTime responder) {
  return {.opcode = static_cast<std::uint8_t>(kFirstPrismOpcode + static_cast<unsigned>(opcode)),
          .traits = {.effect = Effect::kChain,
                     .carries_payload = carries_payload,
                     .returns_data = true,
                     .returns_payload = true,
                     .counts_as_read = true},
          .queue_pair_types = kReliable,
          .counter = counter,
          .completes_as = static_cast<std::uint8_t>(completes_as),
          .requester_service = requester,
          .responder_service = responder,
          .response_headers = {&NicProfile::aeth}};
}

/// PRISM's operations, in the order of rdma::ChainOpcode.
inline constexpr std::array kPrismOperations = {
    prism_operation(rdma::ChainOpcode::kRead, Counter::kPrismRead, false, IBV_WC_RDMA_READ,
                    &NicProfile::requester_read, &NicProfile::responder_read),
    prism_operation(rdma::ChainOpcode::kWrite, Counter::kPrismWrite, true, IBV_WC_RDMA_WRITE,
                    &NicProfile::requester_write, &NicProfile::responder_write),
    prism_operation(rdma::ChainOpcode::kAllocate, Counter::kPrismAllocate, true, IBV_WC_RDMA_WRITE,
                    &NicProfile::requester_write, &NicProfile::responder_write),
    prism_operation(rdma::ChainOpcode::kCompareAndSwap, Counter::kPrismCompareAndSwap, false,
                    IBV_WC_COMP_SWAP, &NicProfile::requester_atomic, &NicProfile::responder_atomic),
    prism_operation(rdma::ChainOpcode::kFetchAndAdd, Counter::kPrismFetchAndAdd, false,
                    IBV_WC_FETCH_ADD, &NicProfile::requester_atomic, &NicProfile::responder_atomic),
};

}  // namespace verbena::simnic
