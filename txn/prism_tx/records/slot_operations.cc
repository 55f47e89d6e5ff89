// Comparisons, swaps and masks, word by word of the slot.
#include "txn/prism_tx/records/slot_operations.h"

#include "txn/prism/install_newer.h"
#include "txn/prism_tx/records/slot.h"

namespace verbena::txn::prism_tx {
namespace {

using rdma::Place;

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

constexpr std::uint32_t kBoth = sizeof(Slot::written) + sizeof(Slot::read);
static_assert(offsetof(Slot, read) == sizeof(Slot::written));

// A compare-and-swap of words from offset `first` on.
rdma::Operation swap_words(rdma::CompareMode mode, std::uint64_t first, std::uint32_t bytes) {
  rdma::Operation swap;
  swap.opcode = rdma::ChainOpcode::kCompareAndSwap;
  swap.mode = mode;
  swap.target = {Place::Where::kMemory, first};
  swap.length = bytes;
  return swap;
}

rdma::Operation read_bytes(std::uint64_t from, bool indirect, std::uint32_t bytes) {
  rdma::Operation read;
  read.target = {Place::Where::kMemory, from};
  read.target_indirect = indirect;
  read.length = bytes;
  return read;
}

/// Begins the slot of a key that is absent.
constexpr std::array<Timestamp, 3> kClaimed = {kLoadedAt, 0, kLoadedAt};
static_assert(sizeof kClaimed == offsetof(Slot, pointer));

}  // namespace

std::array<rdma::Operation, 2> read_slot_and_object(std::uint64_t slot, std::uint32_t bytes) {
  return {read_bytes(slot, false, sizeof(Slot)),
          read_bytes(slot + offsetof(Slot, pointer), true, bytes)};
}

std::array<rdma::Operation, 3> claim(rdma::FreeListId list, std::uint64_t slot,
                                     std::span<const std::byte> object) {
  rdma::Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.target = {Place::Where::kScratch, 0};
  write.length = sizeof kClaimed;
  write.payload = std::as_bytes(std::span(kClaimed));
  rdma::Operation swap = swap_words(rdma::CompareMode::kGreater, slot, sizeof(Slot));
  swap.conditional = true;
  swap.data = swap.compare = {Place::Where::kScratch, 0};
  swap.swap_mask = {kAllBits, kAllBits, kAllBits, kAllBits};
  swap.compare_mask = {0, 0, kAllBits, 0};
  return {write, prism::allocate_to_scratch(list, object, offsetof(Slot, pointer)), swap};
}

rdma::Operation validate_read(std::uint64_t slot, Timestamp version, Timestamp now) {
  rdma::Operation swap = swap_words(rdma::CompareMode::kGreater, slot, kBoth);
  swap.compare_words = {version, now};
  swap.compare_mask = {kAllBits, kAllBits};
  swap.swap_words = {0, now};
  swap.swap_mask = {0, kAllBits};
  return swap;
}

rdma::Operation validate_write(std::uint64_t slot, Timestamp now) {
  rdma::Operation swap = swap_words(rdma::CompareMode::kGreater, slot, kBoth);
  swap.compare_words = swap.swap_words = {now, 0};
  swap.compare_mask = swap.swap_mask = {kAllBits, 0};
  return swap;
}

rdma::Operation validate_update(std::uint64_t slot, Timestamp version, Timestamp now) {
  rdma::Operation swap = swap_words(rdma::CompareMode::kGreater, slot, kBoth);
  swap.compare_words = {version, now};
  swap.swap_words = {now, now};
  swap.compare_mask = swap.swap_mask = {kAllBits, kAllBits};
  return swap;
}

rdma::Operation undo(std::uint64_t slot, Timestamp now, Timestamp before) {
  rdma::Operation swap = swap_words(rdma::CompareMode::kEqual, slot, sizeof(Slot));
  swap.compare_words = {now};
  swap.swap_words = {before};
  swap.compare_mask = swap.swap_mask = {kAllBits};
  return swap;
}

rdma::Operation resolve_in_order(std::uint64_t slot, Timestamp before, Timestamp now) {
  rdma::Operation swap = swap_words(rdma::CompareMode::kEqual, slot + offsetof(Slot, committed),
                                    sizeof(Slot::committed));
  swap.compare_words = {before};
  swap.swap_words = {now};
  swap.compare_mask = swap.swap_mask = {kAllBits};
  return swap;
}

rdma::Operation resolve_at_once(std::uint64_t slot, Timestamp now) {
  rdma::Operation swap = swap_words(rdma::CompareMode::kGreater, slot + offsetof(Slot, committed),
                                    sizeof(Slot::committed));
  swap.compare_words = swap.swap_words = {now};
  swap.compare_mask = swap.swap_mask = {kAllBits};
  return swap;
}

}  // namespace verbena::txn::prism_tx
