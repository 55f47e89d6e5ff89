// The operations of chains on slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/chain/operation.h"
#include "txn/prism_tx/records/timestamp.h"

namespace verbena::txn::prism_tx {

/// READ of a slot, and then of `bytes` of the object that it leads to. In this order: an object
/// that is later than the slot's `committed` tells so itself, one that was there before is what it
/// was.
std::array<rdma::Operation, 2> read_slot_and_object(std::uint64_t slot, std::uint32_t bytes);

/// Makes a slot a key's, whose object has no value: WRITE what its timestamps begin with, ALLOCATE
/// a buffer of `list` with `object`, and compare-and-swap all of the slot, if no key has it.
/// `object` has to outlive what is returned.
std::array<rdma::Operation, 3> claim(rdma::FreeListId list, std::uint64_t slot,
                                     std::span<const std::byte> object);

/// Raises `read` to `now` if `written` is still the version that was read, and `read` less.
/// Gives both as they were, as the next two do.
rdma::Operation validate_read(std::uint64_t slot, Timestamp version, Timestamp now);
/// Raises `written` to `now` if it is less.
rdma::Operation validate_write(std::uint64_t slot, Timestamp now);
/// Does both at once, if `written` is still the version that was read, and `read` less.
rdma::Operation validate_update(std::uint64_t slot, Timestamp version, Timestamp now);

/// Takes `written` back from `now` to what it was `before`, if nobody has raised it since. Gives
/// all of the slot.
rdma::Operation undo(std::uint64_t slot, Timestamp now, Timestamp before);

/// Raises `committed` to `now` if it is `before`. Gives what it was, as the next one does.
rdma::Operation resolve_in_order(std::uint64_t slot, Timestamp before, Timestamp now);
/// Raises it if it is less.
rdma::Operation resolve_at_once(std::uint64_t slot, Timestamp now);

}  // namespace verbena::txn::prism_tx
