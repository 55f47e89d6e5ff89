// One READ, and one chain, or what they take instead.
#include "txn/kv/bounded_slots.h"

#include "txn/prism/install_newer.h"

namespace verbena::txn::kv {
namespace {

using prism::Slot;
using rdma::Place;

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

// The scratch memory is filled as a slot is laid out.
static_assert(sizeof(Slot) == rdma::kScratchBytes);
constexpr std::uint32_t kBoundAt = offsetof(Slot, bytes);

}  // namespace

// The bound and version that the object needs, the object, and the swap of all three: word by word
// the pointer, its bound, the version, which alone is compared.
prism::InstallChain installing(rdma::FreeListId list, std::uint64_t slot,
                               const BoundAndVersion& bound, std::span<const std::byte> object) {
  rdma::Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.target = {Place::Where::kScratch, kBoundAt};
  write.length = sizeof bound;
  write.payload = std::as_bytes(std::span(&bound, 1));
  rdma::Operation swap;
  swap.opcode = rdma::ChainOpcode::kCompareAndSwap;
  swap.conditional = true;
  swap.mode = rdma::CompareMode::kGreater;
  swap.target = {Place::Where::kMemory, slot};
  swap.length = prism::kSlotBytes;
  swap.data = swap.compare = {Place::Where::kScratch, 0};
  swap.swap_mask = {kAllBits, kAllBits, kAllBits, 0};
  swap.compare_mask = {0, 0, kAllBits, 0};
  return {write, prism::allocate_to_scratch(list, object, offsetof(Slot, pointer)), swap};
}

BoundedSlots::BoundedSlots(prism::Without without, rdma::Worker& worker, prism::BufferStock* stock)
    : chains_(worker.rpc(), prism::grouping(without)),
      installs_(prism::make_installs(without, chains_, stock)) {
  if (without == prism::Without::kIndirection) reads_.emplace(worker, chains_, kBoundedShape);
}

std::span<const std::byte> BoundedSlots::read(NodeId server, std::uint64_t slot,
                                              std::uint32_t bytes) {
  server_ = server;
  slot_ = slot;
  if (reads_) {
    reads_->clear();
    reads_->add(server, slot, bytes);
    reads_->carry_out({});
    return reads_->object(0);
  }
  rdma::Operation read;
  read.target = {Place::Where::kMemory, slot};
  read.target_indirect = read.bounded = true;
  read.length = bytes;
  const rdma::OpId added = chains_.add(server, read);
  chains_.carry_out();
  return chains_.data(added);
}

Slots::Replaced BoundedSlots::replace(const NewObject& object, const prism::RoundTrip& round_trip) {
  const BoundAndVersion bound{object.bytes.size(), object.version};
  const std::size_t added =
      installs_->add(server_, installing(object.list, slot_, bound, object.bytes));
  installs_->carry_out(round_trip);
  const prism::Installed installed = installs_->installed(added);
  installs_->clear();
  Replaced replaced{.had_buffer = installed.how != prism::Installed::How::kNoBuffer,
                    .done = installed.done(),
                    .buffer = installed.buffer};
  const auto before = std::bit_cast<Slot>(installed.replaced);
  if (replaced.done && before.version != 0) replaced.pointer = before.pointer;
  return replaced;
}

}  // namespace verbena::txn::kv
