// Reads of slots and of the objects behind them, several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "rdma/base/types.h"
#include "rdma/worker.h"
#include "txn/prism/access/checked_reads.h"
#include "txn/prism/access/round_trip.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/access/without.h"
#include "txn/prism_tx/records/slot.h"

namespace verbena::txn::prism_tx {

/// Reads slots, and then the objects that they lead to. An object that is later than its slot's
/// `committed` tells so itself; one that was there before has not changed. A fiber adds reads, has
/// them carried out, looks at the results, clears, and uses the object again.
class RecordReads {
 public:
  virtual ~RecordReads() = default;

  /// Adds a read of a slot, and of `bytes` of its object. Returns its number, from 0.
  virtual std::size_t add(NodeId server, std::uint64_t slot, std::uint32_t bytes) = 0;

  /// Carries them out. Suspends the fiber; throws as PrismBatch does.
  virtual void carry_out(const prism::RoundTrip& round_trip) = 0;

  /// Return what was read; after carry_out(), until clear().
  virtual Slot slot(std::size_t read) const = 0;
  virtual std::span<const std::byte> object(std::size_t read) const = 0;

  virtual void clear() = 0;
};

/// Returns reads by the operations that NICs have. `chains` has nothing else until clear(); both
/// must outlive the result.
std::unique_ptr<RecordReads> make_record_reads(prism::Without without, rdma::Worker& worker,
                                               prism::ServerChains& chains);

/// The words of a slot that tell which object it leads to.
inline constexpr prism::SlotShape kTimestampedShape = {
    .bytes = sizeof(Slot),
    .pointer_word = offsetof(Slot, pointer) / sizeof(std::uint64_t),
    .same_bits = {0, 0, ~std::uint64_t{0}, ~std::uint64_t{0}}};

}  // namespace verbena::txn::prism_tx
