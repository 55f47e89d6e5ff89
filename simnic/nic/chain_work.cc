// Headers of operations, and what they use.
#include "simnic/nic/chain_work.h"

namespace verbena::simnic {
namespace {

using rdma::ChainOpcode;
using Where = rdma::Place::Where;

constexpr std::int64_t kAddressBytes = 8;

std::int64_t operand_bytes(const rdma::Place& place, std::uint32_t length) {
  return place.where == Where::kRequest ? length : kAddressBytes;
}

}  // namespace

std::int64_t header_bytes(const rdma::Operation& operation, std::int64_t reth,
                          std::int64_t atomic_eth) {
  constexpr std::int64_t kListAndLength = 8;
  constexpr std::int64_t kKeyAndMode = 8;
  const std::int64_t redirect = operation.redirect.where == Where::kRequest ? 0 : kAddressBytes;
  switch (operation.opcode) {
    case ChainOpcode::kRead:
      return redirect + reth;
    case ChainOpcode::kWrite:
      return reth + (operation.data.where == Where::kRequest ? 0 : kAddressBytes);
    case ChainOpcode::kAllocate:
      return redirect + kListAndLength;
    case ChainOpcode::kCompareAndSwap:
      return redirect + kAddressBytes + kKeyAndMode + 2 * std::int64_t{operation.length} +
             operand_bytes(operation.data, operation.length) +
             operand_bytes(operation.compare, operation.length);
    case ChainOpcode::kFetchAndAdd:
      return redirect + atomic_eth;
  }
  return 0;
}

ScratchUses scratch_uses(const rdma::Operation& operation) {
  const bool compares = operation.opcode == ChainOpcode::kCompareAndSwap;
  const bool writes = operation.opcode == ChainOpcode::kWrite;
  const bool targets = operation.target.where == Where::kScratch;
  return {.reads = operation.data.where == Where::kScratch ||
                   (compares && operation.compare.where == Where::kScratch) || (targets && !writes),
          .writes = operation.redirect.where == Where::kScratch || (targets && writes)};
}

}  // namespace verbena::simnic
