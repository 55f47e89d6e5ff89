// Access of NICs to host memory, which happens nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "rdma/seam/buffer_memory.h"
#include "rdma/seam/first_touch_memory.h"
#include "simnic/nic/chain_work.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/objects.h"

namespace verbena::simnic {

/// True if `qp` may use the keys of `region`. A parent domain stands for the protection domain that
/// it was made of.
inline bool same_domain(const Region& region, const QueuePair& qp) {
  return region.pd == qp.pd || ProtectionDomain::root(region.pd) == ProtectionDomain::root(qp.pd);
}

/// Returns the first part of [address, address + bytes) that lies in one piece, filled if that
/// happens on first touch. `region` must cover the range.
inline std::span<std::byte> region_piece(const Region& region, std::uint64_t address,
                                         std::uint64_t bytes) {
  if (region.first_touch == nullptr) {
    if (region.buffers != nullptr && region.buffers->covers(address)) {
      return {region.buffers->at(address), bytes};
    }
    return {reinterpret_cast<std::byte*>(address), bytes};
  }
  auto* memory = region.first_touch;
  return memory->piece(address - reinterpret_cast<std::uintptr_t>(memory->base()), bytes);
}

/// Returns the place of the byte, or the aligned word, at `address`.
inline std::byte* region_memory(const Region& region, std::uint64_t address) {
  return region_piece(region, address, 1).data();
}

inline void copy_from_region(const Region& region, std::uint64_t address, std::uint64_t bytes,
                             std::byte* to) {
  while (bytes != 0) {
    const std::span<const std::byte> piece = region_piece(region, address, bytes);
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
    address += piece.size();
    bytes -= piece.size();
  }
}

inline void copy_to_region(const Region& region, std::uint64_t address, std::uint64_t bytes,
                           const std::byte* from) {
  while (bytes != 0) {
    const std::span<std::byte> piece = region_piece(region, address, bytes);
    std::memcpy(piece.data(), from, piece.size());
    from += piece.size();
    address += piece.size();
    bytes -= piece.size();
  }
}

/// Returns the region of `key` if `qp` may read, or write, the range; null otherwise.
inline Region* local_region(const QueuePair& qp, std::uint32_t key, std::uint64_t address,
                            std::uint64_t bytes, bool write) {
  Region* region = qp.nic->find_region(key);
  if (region == nullptr || !same_domain(*region, qp) || !region->covers(address, bytes))
    return nullptr;
  if (write && (region->access & IBV_ACCESS_LOCAL_WRITE) == 0) return nullptr;
  return region;
}
bool scattered_pieces_valid(const QueuePair& qp, const Request& request, bool write);
/// True if `qp` may read, or write, all local pieces of `request`.
inline bool local_pieces_valid(const QueuePair& qp, const Request& request, bool write) {
  if (request.scattered != nullptr) [[unlikely]]
    return scattered_pieces_valid(qp, request, write);
  const std::uint32_t bytes = request.message.bytes;
  return bytes == 0 ||
         local_region(qp, request.local_key, request.local_address, bytes, write) != nullptr;
}
/// Returns the description of an operation of PRISM in its requester's record.
inline ChainWork& work_of(const Request& request) {
  return *reinterpret_cast<ChainWork*>(request.payload);
}
/// True if `qp` may use the local memory that an operation of PRISM names.
bool chain_memory_valid(const QueuePair& qp, const Request& request);
/// Copies what an operation of PRISM sends to `to`.
void gather_chain(const Request& request, std::byte* to);
/// Takes the answer of an operation of PRISM: outcome, length and result.
void scatter_chain(Request& request, const std::byte* answer);
/// Copies a request's local pieces, which must be valid, to `to`.
void gather(const Request& request, std::byte* to);
/// Copies `from` to a request's local pieces, which must be valid.
void scatter(const Request& request, const std::byte* from);
enum class Scattered { kDone, kTooLong, kNotAllowed };
/// Copies a message behind the first `skip` bytes of the pieces of `receive`.
Scattered scatter(const QueuePair& qp, const ReceiveRequest& receive, const std::byte* from,
                  std::uint32_t bytes, std::uint32_t skip);

/// Returns where the message that `receive` took begins, behind `skip` bytes; 0: nowhere.
std::uintptr_t place_received(const QueuePair& qp, const ReceiveRequest& receive,
                              std::uint32_t skip);

/// Returns the word that an atomic leaves in the place of `found`; none: it leaves that.
inline std::optional<std::uint64_t> next_word(const Message& message, std::uint64_t found) {
  if (message.traits.effect == Effect::kFetchAndAdd) return found + message.operand[0];
  if (found == message.operand[0]) return message.operand[1];
  return std::nullopt;
}

}  // namespace verbena::simnic
