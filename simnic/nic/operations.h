// The table of operations: a row for each of libibverbs' opcodes that the NIC has.
//
// An operation is added by a row. If it does to memory what no other does, it adds a value of
// Effect and a case to Responder::access_remote; all else are properties that the stations know. A
// family of operations, as of a vendor, is a header of its own with an array of rows, which
// kOperations takes up behind these; find_operation then maps its opcodes to its rows, and
// tests/simnic/nic/operation_test.cc checks that each is complete.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "simnic/nic/operation.h"
#include "simnic/nic/prism_operations.h"

namespace verbena::simnic {

inline constexpr std::uint8_t kConnected = kReliable | type_bit(IBV_QPT_UC);
inline constexpr std::uint8_t kAnyType = kConnected | type_bit(IBV_QPT_UD);

inline constexpr Operation kWrite = {
    .opcode = IBV_WR_RDMA_WRITE,
    .traits = {.effect = Effect::kWrite, .carries_payload = true},
    .queue_pair_types = kConnected,
    .wqe_segment_bytes = 16,
    .counter = Counter::kVerbsWrite,
    .access = IBV_ACCESS_REMOTE_WRITE,
    .line_order = LineOrder::kUpwards,
    .completes_as = IBV_WC_RDMA_WRITE,
    .requester_service = &NicProfile::requester_write,
    .responder_service = &NicProfile::responder_write,
    .request_headers = {&NicProfile::reth},
    .response_headers = {&NicProfile::aeth},
};

inline constexpr Operation kSend = {
    .opcode = IBV_WR_SEND,
    .traits = {.carries_payload = true, .takes_receive = true, .by_receivers = true},
    .queue_pair_types = kAnyType,
    .counter = Counter::kVerbsSend,
    .completes_as = IBV_WC_SEND,
    .received_as = IBV_WC_RECV,
    .requester_service = &NicProfile::requester_send,
    .responder_service = &NicProfile::responder_send,
    .response_headers = {&NicProfile::aeth},
};

inline constexpr Operation kRead = {
    .opcode = IBV_WR_RDMA_READ,
    .traits = {.effect = Effect::kRead,
               .returns_data = true,
               .returns_payload = true,
               .counts_as_read = true},
    .queue_pair_types = kReliable,
    .wqe_segment_bytes = 16,
    .counter = Counter::kVerbsRead,
    .access = IBV_ACCESS_REMOTE_READ,
    .line_order = LineOrder::kFromAnywhere,
    .completes_as = IBV_WC_RDMA_READ,
    .requester_service = &NicProfile::requester_read,
    .responder_service = &NicProfile::responder_read,
    .request_headers = {&NicProfile::reth},
    .response_headers = {&NicProfile::aeth},
};

inline constexpr Operation kCompareAndSwap = {
    .opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
    .traits = {.effect = Effect::kCompareAndSwap,
               .returns_data = true,
               .counts_as_read = true,
               .takes_atomic_slot = true},
    .queue_pair_types = kReliable,
    .wqe_segment_bytes = 32,
    .only_bytes = 8,
    .counter = Counter::kVerbsAtomic,
    .access = IBV_ACCESS_REMOTE_ATOMIC,
    .alignment = 8,
    .line_order = LineOrder::kReadThenWrite,
    .completes_as = IBV_WC_COMP_SWAP,
    .requester_service = &NicProfile::requester_atomic,
    .responder_service = &NicProfile::responder_atomic,
    .request_headers = {&NicProfile::atomic_eth},
    .response_headers = {&NicProfile::aeth, &NicProfile::atomic_ack_eth},
};

/// Returns `plain` with immediate data, which takes a receive request.
constexpr Operation with_immediate(Operation plain, ibv_wr_opcode opcode, ibv_wc_opcode received) {
  plain.opcode = static_cast<std::uint8_t>(opcode);
  plain.traits.takes_receive = true;
  plain.traits.has_immediate = true;
  plain.received_as = static_cast<std::uint8_t>(received);
  plain.request_headers[plain.request_headers[0] == nullptr ? 0 : 1] = &NicProfile::immediate;
  return plain;
}

inline constexpr Operation kWriteWithImmediate =
    with_immediate(kWrite, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WC_RECV_RDMA_WITH_IMM);

inline constexpr Operation kSendWithImmediate =
    with_immediate(kSend, IBV_WR_SEND_WITH_IMM, IBV_WC_RECV);

inline constexpr Operation kFetchAndAdd = [] {
  Operation operation = kCompareAndSwap;
  operation.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  operation.traits.effect = Effect::kFetchAndAdd;
  operation.completes_as = IBV_WC_FETCH_ADD;
  return operation;
}();

/// Number of libibverbs' operations.
inline constexpr std::size_t kVerbsOperations = 7;

/// All operations: those of libibverbs at the places of their opcodes, then PRISM's. A request
/// knows its operation by its number, which is the place.
inline constexpr std::array kOperations = {
    kWrite,
    kWriteWithImmediate,
    kSend,
    kSendWithImmediate,
    kRead,
    kCompareAndSwap,
    kFetchAndAdd,
    kPrismOperations[0],
    kPrismOperations[1],
    kPrismOperations[2],
    kPrismOperations[3],
    kPrismOperations[4],
};
static_assert(kOperations.size() == kVerbsOperations + kPrismOperations.size());

/// Returns the operation of `opcode`; null: the NIC has none.
constexpr const Operation* find_operation(ibv_wr_opcode opcode) {
  const auto place = static_cast<std::size_t>(opcode);
  return place < kVerbsOperations ? &kOperations[place] : nullptr;
}

constexpr const Operation& operation_of(rdma::ChainOpcode opcode) {
  return kOperations[kVerbsOperations + static_cast<std::size_t>(opcode)];
}

constexpr std::uint8_t number_of(const Operation& operation) {
  return static_cast<std::uint8_t>(&operation - kOperations.data());
}

}  // namespace verbena::simnic
