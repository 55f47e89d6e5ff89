// One-sided requests as they wait in a batch.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

namespace verbena::rdma {

/// Parts of an ibv_send_wr, which is made from them only when posted; those of the batches of all
/// fibers would not fit the processor's caches.
struct OneSidedRequest {
  std::uint64_t local_address;
  std::uint64_t rest_address;
  std::uint64_t remote_address;
  std::uint64_t compare_add;  ///< of an atomic
  std::uint64_t swap;
  std::uint32_t length;
  std::uint32_t rest_length;  ///< part of `length` that comes from rest_address
  std::uint32_t remote_key;
  std::uint32_t next;     ///< request in the same chain
  std::uint32_t staging;  ///< buffer that holds a copied source
  std::uint16_t opcode;   ///< ibv_wr_opcode
  bool inlined;
  bool copy_source;  ///< still to be copied, at the latest when posted

  bool atomic() const {
    return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
  }
};

/// Requests of a batch to one node, in the order in which they were added.
struct OneSidedChain {
  std::uint16_t place;  ///< of the node among the connected ones
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t count;
};

}  // namespace verbena::rdma
