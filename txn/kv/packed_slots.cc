// Two READs, and one chain.
#include "txn/kv/packed_slots.h"

#include <bit>
#include <string>

#include "txn/prism/install_newer.h"

namespace verbena::txn::kv {
namespace {

using rdma::Place;

constexpr std::uint32_t kAllocate = 0;
constexpr std::uint32_t kSwap = 2;

// Words have their least significant bytes first.
static_assert(std::endian::native == std::endian::little);
constexpr std::uint64_t kVersionAt = PackedWord::kOffsetBits / 8;

}  // namespace

std::array<rdma::Operation, 3> replacing(rdma::FreeListId list, std::uint64_t slot, PackedWord seen,
                                         const std::uint16_t& version,
                                         std::span<const std::byte> object) {
  rdma::Operation allocate = prism::allocate_to_scratch(list, object, 0);
  allocate.conditional = false;
  rdma::Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.conditional = true;
  write.target = {Place::Where::kScratch, kVersionAt};
  write.length = sizeof version;
  write.payload = std::as_bytes(std::span(&version, 1));
  rdma::Operation swap;
  swap.opcode = rdma::ChainOpcode::kCompareAndSwap;
  swap.conditional = true;
  swap.target = {Place::Where::kMemory, slot};
  swap.length = sizeof seen;
  swap.data = {Place::Where::kScratch, 0};
  swap.compare_words = {seen.word};
  swap.swap_mask = swap.compare_mask = {~std::uint64_t{0}};
  return {allocate, write, swap};
}

std::span<const std::byte> PackedSlots::read(NodeId server, std::uint64_t slot,
                                             std::uint32_t bytes) {
  server_ = server;
  slot_ = slot;
  reads_.clear();
  reads_.add(server, slot, bytes);
  reads_.carry_out({});
  seen_ = {reads_.slot(0)[0]};
  return reads_.object(0);
}

Slots::Replaced PackedSlots::replace(const NewObject& object, const prism::RoundTrip& round_trip) {
  const auto version = static_cast<std::uint16_t>(object.version);
  const rdma::OpId first =
      chains_.add(server_, replacing(object.list, slot_, seen_, version, object.bytes));
  chains_.carry_out(round_trip);
  Replaced replaced{.had_buffer = chains_.done(first, kAllocate)};
  if (replaced.had_buffer) {
    replaced.done = chains_.done(first, kSwap);
    replaced.buffer = chains_.allocated(first, kAllocate);
  }
  if (replaced.done) replaced.pointer = seen_.offset();
  chains_.clear();
  return replaced;
}

// The object has all bits of the version.
prism::Slot PackedAtRest::slot_at(std::uint64_t offset) {
  const PackedWord packed{words_at(offset)[0]};
  if (packed.word == 0) return {};
  return {.pointer = packed.offset(), .version = header_at(packed.offset()).version};
}

std::string PackedAtRest::fault_of(const prism::SlotWords& words,
                                   const prism::ObjectHeader& object) {
  const PackedWord packed{words[0]};
  if (packed.version() == static_cast<std::uint16_t>(object.version)) return {};
  return "is of version " + std::to_string(packed.version()) + " in 16 bits, its object of " +
         std::to_string(object.version);
}

}  // namespace verbena::txn::kv
