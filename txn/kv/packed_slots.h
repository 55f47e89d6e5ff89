// Slots of one word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "txn/kv/slots.h"
#include "txn/prism/access/checked_reads.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/object.h"
#include "txn/prism/state_at_rest.h"

namespace verbena::txn::kv {

/// A slot's word: 48 bits with the offset of the object, and 16 of its version above, so that 8 B
/// compared for equality tell if the object was replaced. 0: never used. A client that has read a
/// word and replaces it must have come to that before the key has been replaced 65 536 times.
struct PackedWord {
  static constexpr unsigned kOffsetBits = 48;
  static constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;

  std::uint64_t word = 0;

  static constexpr PackedWord of(std::uint64_t offset, std::uint64_t version) {
    return {offset | version << kOffsetBits};
  }
  constexpr std::uint64_t offset() const { return word & kOffsetMask; }
  constexpr std::uint16_t version() const {
    return static_cast<std::uint16_t>(word >> kOffsetBits);
  }
};

/// Slots in that layout, as long as others; the rest of them is zero.
inline constexpr prism::SlotFormat kPackedSlots = {
    .loaded = [](std::uint64_t pointer, std::uint64_t) -> prism::SlotWords {
      return {PackedWord::of(pointer, prism::kLoadedVersion).word};
    },
    .unused = [](std::uint64_t) -> prism::SlotWords { return {}; }};

inline constexpr prism::SlotShape kPackedShape = {.bytes = sizeof(PackedWord),
                                                  .pointer_word = 0,
                                                  .pointer_bits = PackedWord::kOffsetMask,
                                                  .bound_word = {},
                                                  .same_bits = {~std::uint64_t{0}, 0, 0, 0}};

/// Reads and replaces objects behind such slots. Pointers with other bits cannot be followed by
/// NICs.
class PackedSlots final : public Slots {
 public:
  explicit PackedSlots(rdma::Worker& worker)
      : chains_(worker.rpc()), reads_(worker, chains_, kPackedShape) {}

  std::span<const std::byte> read(NodeId server, std::uint64_t slot, std::uint32_t bytes) override;
  std::uint64_t rereads() const override { return reads_.again(); }
  void forget() override { reads_.clear(); }
  Replaced replace(const NewObject& object, const prism::RoundTrip& round_trip) override;

 private:
  prism::ServerChains chains_;
  prism::CheckedReads reads_;
  NodeId server_ = 0;
  std::uint64_t slot_ = 0;
  PackedWord seen_;  // in the slot
};

/// Returns a chain: ALLOCATE a buffer with the object, its address to the scratch; WRITE the
/// version into the address's upper bits; compare-and-swap the slot with it, where it is `seen`.
std::array<rdma::Operation, 3> replacing(rdma::FreeListId list, std::uint64_t slot, PackedWord seen,
                                         const std::uint16_t& version,
                                         std::span<const std::byte> object);

/// Objects behind such slots. See StateAtRest.
class PackedAtRest final : public prism::SlotsAtRest {
 public:
  using SlotsAtRest::SlotsAtRest;

 protected:
  prism::Slot slot_at(std::uint64_t offset) override;
  std::string fault_of(const prism::SlotWords& words, const prism::ObjectHeader& object) override;
};

}  // namespace verbena::txn::kv
