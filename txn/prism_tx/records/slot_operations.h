// Operations of chains on slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"
#include "txn/prism_tx/records/timestamp.h"

namespace verbena::txn::prism_tx {

/// Returns READs of a slot, and then of `bytes` of its object. In this order, an object that is
/// later than the slot's `committed` tells so itself, and one that was there before has not
/// changed.
std::array<rdma::Operation, 2> read_slot_and_object(std::uint64_t slot, std::uint32_t bytes);

/// Returns a chain that gives a slot to a key, with an object without value: WRITE the slot's first
/// timestamps, ALLOCATE a buffer of `list` with `object`, and compare-and-swap the whole slot, if
/// no key has it. `object` must outlive the result.
std::array<rdma::Operation, 3> claim(rdma::FreeListId list, std::uint64_t slot,
                                     std::span<const std::byte> object);

/// Raises `read` to `now` if `written` is still the version that was read, and `read` less. Its
/// result is both old values, as that of the next two.
rdma::Operation validate_read(std::uint64_t slot, Timestamp version, Timestamp now);
/// Raises `written` to `now` if it is less.
rdma::Operation validate_write(std::uint64_t slot, Timestamp now);
/// Does both at once, if `written` is still the version that was read, and `read` less.
rdma::Operation validate_update(std::uint64_t slot, Timestamp version, Timestamp now);

/// Takes `written` back from `now` to `before`, if nobody has raised it since. Its result is the
/// whole slot.
rdma::Operation undo(std::uint64_t slot, Timestamp now, Timestamp before);

/// Raises `committed` to `now` if it is `before`. Its result is the old value, as that of the next
/// one.
rdma::Operation resolve_in_order(std::uint64_t slot, Timestamp before, Timestamp now);
/// Raises `committed` to `now` if it is less.
rdma::Operation resolve_at_once(std::uint64_t slot, Timestamp now);

}  // namespace verbena::txn::prism_tx
