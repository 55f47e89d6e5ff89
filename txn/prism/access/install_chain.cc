// Taking the chain apart.
#include "txn/prism/access/install_chain.h"

#include <algorithm>
#include <cstring>

#include "rdma/chain/chain_message.h"

namespace verbena::txn::prism {
namespace {

using rdma::OperandWords;
using rdma::Operation;
using rdma::Place;

std::size_t request_of(std::span<const Operation> operations) {
  std::size_t bytes = rdma::kChainHeaderBytes;
  for (const Operation& one : operations) bytes += rdma::request_bytes(one);
  return bytes;
}

// The words that the chain's first two operations leave in the scratch.
OperandWords scratch_of(const InstallChain& chain, std::uint64_t pointer) {
  const Operation& write = chain[0];
  OperandWords words{};
  static_assert(sizeof words == rdma::kScratchBytes);
  const std::span<std::byte> scratch = std::as_writable_bytes(std::span(words));
  std::ranges::copy(write.payload, scratch.subspan(write.target.offset).begin());
  std::memcpy(scratch.subspan(chain[1].redirect.offset, sizeof pointer).data(), &pointer,
              sizeof pointer);
  return words;
}

}  // namespace

Operation allocation_of(const InstallChain& chain) {
  Operation allocate = chain[1];
  allocate.conditional = false;
  allocate.redirect = {};
  return allocate;
}

Operation swap_of(const InstallChain& chain, std::uint64_t pointer) {
  Operation swap = chain[2];
  swap.conditional = false;
  swap.data = swap.compare = {};
  swap.swap_words = swap.compare_words = scratch_of(chain, pointer);
  return swap;
}

std::array<Operation, 2> write_and_swap(const InstallChain& chain, std::uint64_t pointer) {
  Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.target = {Place::Where::kMemory, pointer};
  write.length = chain[1].length;
  write.payload = chain[1].payload;
  Operation swap = swap_of(chain, pointer);
  swap.conditional = true;
  return {write, swap};
}

std::size_t longest_message(const InstallChain& chain, Without without) {
  switch (without) {
    case Without::kNothing:
    case Without::kCas:
      return request_of(chain);
    case Without::kAllocation:
      return request_of(write_and_swap(chain, 0));
    case Without::kIndirection:
    case Without::kChaining:
      return std::max(request_of(std::array{allocation_of(chain)}),
                      request_of(std::array{swap_of(chain, 0)}));
  }
  return 0;
}

}  // namespace verbena::txn::prism
