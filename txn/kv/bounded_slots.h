// Slots with pointer, bound and version.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "txn/kv/slots.h"
#include "txn/prism/access/checked_reads.h"
#include "txn/prism/access/installs.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/object.h"

namespace verbena::txn::kv {

/// Slots that a compare-and-swap replaces where the new version is greater (txn/prism/object.h). An
/// object is read through its slot, or after it where NICs follow no pointers.
class BoundedSlots final : public Slots {
 public:
  BoundedSlots(prism::Without without, rdma::Worker& worker, prism::BufferStock* stock);

  std::span<const std::byte> read(NodeId server, std::uint64_t slot, std::uint32_t bytes) override;
  std::uint64_t rereads() const override { return reads_ ? reads_->again() : 0; }
  void forget() override { chains_.clear(); }
  Replaced replace(const NewObject& object, const prism::RoundTrip& round_trip) override;

 private:
  prism::ServerChains chains_;
  std::optional<prism::CheckedReads> reads_;  // where no pointers are followed
  std::unique_ptr<prism::Installs> installs_;
  NodeId server_ = 0;
  std::uint64_t slot_ = 0;
};

/// Words of such a slot.
inline constexpr prism::SlotShape kBoundedShape = {
    .bytes = prism::kSlotBytes,
    .pointer_word = offsetof(prism::Slot, pointer) / sizeof(std::uint64_t),
    .bound_word = offsetof(prism::Slot, bytes) / sizeof(std::uint64_t),
    .same_bits = {0, 0, ~std::uint64_t{0}, 0}};

/// Returns the chain that installs an object of `version` in a slot, where that is greater. It
/// refers to `bound`, and to `object`.
struct BoundAndVersion {
  std::uint64_t bytes;
  std::uint64_t version;
};
prism::InstallChain installing(rdma::FreeListId list, std::uint64_t slot,
                               const BoundAndVersion& bound, std::span<const std::byte> object);

}  // namespace verbena::txn::kv
