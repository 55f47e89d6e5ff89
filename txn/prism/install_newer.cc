// Three operations, of which the last one depends on the others.
#include "txn/prism/install_newer.h"

namespace verbena::txn::prism {
namespace {

using rdma::Place;

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

// The scratch memory is filled as the pair is laid out.
static_assert(sizeof(VersionAndPointer) == 16 && sizeof(VersionAndPointer) <= rdma::kScratchBytes);

}  // namespace

rdma::Operation allocate_to_scratch(rdma::FreeListId list, std::span<const std::byte> object,
                                    std::uint64_t pointer_at) {
  rdma::Operation allocate;
  allocate.opcode = rdma::ChainOpcode::kAllocate;
  allocate.conditional = true;
  allocate.free_list = list;
  allocate.length = static_cast<std::uint32_t>(object.size());
  allocate.payload = object;
  allocate.redirect = {Place::Where::kScratch, pointer_at};
  return allocate;
}

std::array<rdma::Operation, 3> install_newer(rdma::FreeListId list, std::uint64_t at,
                                             std::span<const std::byte> object) {
  rdma::Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.target = {Place::Where::kScratch, offsetof(VersionAndPointer, version)};
  write.length = sizeof(std::uint64_t);
  write.payload = object.first(write.length);
  rdma::Operation swap;
  swap.opcode = rdma::ChainOpcode::kCompareAndSwap;
  swap.conditional = true;
  swap.mode = rdma::CompareMode::kGreater;
  swap.target = {Place::Where::kMemory, at};
  swap.length = sizeof(VersionAndPointer);
  swap.data = swap.compare = {Place::Where::kScratch, 0};
  swap.swap_mask = {kAllBits, kAllBits, 0, 0};
  swap.compare_mask = {kAllBits, 0, 0, 0};
  return {write, allocate_to_scratch(list, object, offsetof(VersionAndPointer, pointer)), swap};
}

}  // namespace verbena::txn::prism
