// Operations of PRISM by value, as requests and packets carry them.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"

namespace verbena::simnic {

/// Description of one operation: what is in a request's record, and in its packet with the
/// operation's payload behind it.
struct ChainWork {
  rdma::Operation operation;  ///< its `payload` is meaningless: it lies behind this
  ibv_sge source;             ///< of the payload; length 0: it was inlined, or there is none
  ibv_sge result;             ///< memory of the requester for the result; length 0: not wanted
  std::uint32_t length;       ///< bytes read or written, as the answer tells
  std::uint8_t outcome;       ///< rdma::ChainOutcome, likewise
};

/// Begins the payload of an answer, in front of the data that comes back.
struct ChainReply {
  std::uint32_t length;  ///< bytes read or written
  std::uint32_t bytes;   ///< of data that come back
  std::uint8_t outcome;  ///< rdma::ChainOutcome
};

/// Returns the bytes of the payload that `operation` brings.
inline std::uint32_t payload_bytes(const rdma::Operation& operation) {
  const bool brings = operation.opcode == rdma::ChainOpcode::kAllocate ||
                      operation.opcode == rdma::ChainOpcode::kWrite;
  return brings && operation.data.where == rdma::Place::Where::kRequest ? operation.length : 0;
}

/// Returns the bytes that a packet needs for `operation`, and for its answer.
inline std::uint32_t block_bytes(const rdma::Operation& operation) {
  return static_cast<std::uint32_t>(std::max(sizeof(ChainWork) + payload_bytes(operation),
                                             sizeof(ChainReply) + rdma::most_returned(operation)));
}

/// Returns the bytes on the wire of a request beside each packet's headers and the payload (PRISM
/// paper, section 4.2: flags fit the reserved bits of the transport header), where `reth` and
/// `atomic_eth` are those of libibverbs' operations. Masks go in full, as in the extended atomics
/// of today's NICs.
std::int64_t header_bytes(const rdma::Operation& operation, std::int64_t reth,
                          std::int64_t atomic_eth);

/// True where an operation reads the scratch, and where it writes it.
struct ScratchUses {
  bool reads;
  bool writes;
};
ScratchUses scratch_uses(const rdma::Operation& operation);

}  // namespace verbena::simnic
