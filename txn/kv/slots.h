// Slots of PRISM-KV, by what NICs can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "rdma/worker.h"
#include "txn/prism/access/round_trip.h"
#include "txn/prism/access/without.h"
#include "txn/prism/layout.h"

namespace verbena::txn::prism {
class BufferStock;
}  // namespace verbena::txn::prism

namespace verbena::txn::kv {

/// Reads and replaces the objects behind slots, one at a time. Used by one fiber.
class Slots {
 public:
  virtual ~Slots() = default;

  /// READs up to `bytes` of the object behind the slot at offset `slot`; no bytes where the slot
  /// was never used. Valid until forget(). Suspends.
  virtual std::span<const std::byte> read(NodeId server, std::uint64_t slot,
                                          std::uint32_t bytes) = 0;

  /// Returns the number of objects that were read again, so far.
  virtual std::uint64_t rereads() const { return 0; }

  virtual void forget() = 0;

  struct NewObject {
    std::uint64_t version;  ///< the next one after that read
    rdma::FreeListId list;
    std::span<const std::byte> bytes;
  };
  struct Replaced {
    bool had_buffer = false;
    bool done = false;
    std::uint64_t buffer = 0;   ///< of the new object
    std::uint64_t pointer = 0;  ///< to the old one, once replaced; 0: there was none
  };
  /// Replaces the object behind the slot that was read last, unless another one did meanwhile.
  /// Suspends.
  virtual Replaced replace(const NewObject& object, const prism::RoundTrip& round_trip) = 0;
};

/// Returns the layout of slots.
const prism::SlotFormat& slot_format(prism::Without without);

/// Throws ConfigurationError for offsets that slots cannot hold.
void check_offsets(prism::Without without, std::uint64_t region_bytes);

/// Returns the way that NICs allow. `stock`: see make_installs. All arguments outlive the result.
std::unique_ptr<Slots> make_slots(prism::Without without, rdma::Worker& worker,
                                  prism::BufferStock* stock);

/// Bytes of the longest message of operations on any table, without the RPC's own header.
std::size_t message_bytes(prism::Without without, const prism::Layout& layout);

}  // namespace verbena::txn::kv
