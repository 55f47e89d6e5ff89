// Packets, which travel between two NICs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/cache_line.h"
#include "simnic/nic/message.h"

namespace verbena::simnic {

struct ChainExecution;
struct QueuePair;
struct SharedReceiveQueue;

/// Answers to requests, as a packet on its way back tells them.
enum class Answer : std::uint8_t {
  kNone,           ///< nothing: it is a request
  kDone,           ///< an acknowledgement, or the data of a READ or an atomic
  kRefused,        ///< a NAK that fails the request with `status`
  kNotReady,       ///< an RNR NAK: there was no receive request
  kSequenceError,  ///< a NAK for the request of number `psn`, which did not arrive
  kLost,           ///< nothing on the wire: a request or an answer was lost, here begins the wait
};

/// A message by value: a request on its way and, turned around, its answer. Exactly one event in
/// the queue refers to it. The requester's queue pair does not wait for it when the type is not RC.
struct alignas(kCacheLineBytes) Packet {
  Message message;
  QueuePair* peer;        ///< last known queue pair of the responder; may have become another one
  QueuePair* queue_pair;  ///< the requester's, which may have become another one; a hint
  std::byte* payload;     ///< `message.bytes` from the packets' pool; null: none
  union {
    std::uint64_t found;  ///< value that an atomic found
    /// SRQ in which a receive request is set aside, of an operation that takes one; or null.
    SharedReceiveQueue* promised_by;
    ChainExecution* execution;  ///< of an operation of PRISM that is being carried out
  };
  std::uint32_t number;        ///< its own number
  std::uint32_t request;       ///< number of the requester's record
  std::uint32_t transmission;  ///< value of the record's `generation` when it was sent
  std::uint32_t wire_bytes;    ///< on the wire
  Answer answer;
  std::uint8_t status;         ///< ibv_wc_status
  std::uint8_t rnr_timer;      ///< of kNotReady: as ibv_qp_attr::min_rnr_timer
  bool reliable : 1;           ///< of an RC queue pair
  bool repeated : 1;           ///< was accepted before, so it changes nothing
  bool stray : 1;              ///< its sender has died, and its late arrival or loss is decided
  bool found_peer : 1;         ///< the responder corrected `peer`
  std::uint8_t own_links : 2;  ///< see Ways::Sent; a packet that crosses nothing has none

  // Chaos: memory accesses of one request, at different times.
  std::uint32_t lines : 11;
  std::uint32_t lines_done : 11;
  std::uint32_t first_line : 10;
};
static_assert(sizeof(Packet) == 128);

}  // namespace verbena::simnic
