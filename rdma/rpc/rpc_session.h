// State of the RPCs between a worker and one worker of another node.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/timer_lists.h"

namespace verbena::rdma {

/// Stands for the buffer of a message that is never repeated, so that only the transport has it.
inline constexpr BufferId kNotKept = kNoBuffer - 1;

/// Opened when the first message goes to or comes from the peer worker; its vectors grow to what is
/// used.
struct RpcSession {
  NodeId peer;
  WorkerId peer_worker;
  std::uint16_t link;           ///< number of this worker's link to the peer
  std::uint16_t notify_window;  ///< unacknowledged notifications that the peer accepts
  std::uint32_t envelope;       ///< envelope of messages to the peer
  bool unreachable = false;     ///< as the transport told

  // The caller's side: a slot carries one call at a time.
  struct CallerSlot {
    std::uint32_t sequence = 0;  ///< of the last call
    std::uint32_t call = UINT32_MAX;
  };
  std::uint64_t busy_slots = 0;
  std::vector<CallerSlot> caller_slots;
  std::vector<FiberId> slot_waiters;  ///< fibers that wait for a free slot, first come first

  // The callee's side.
  struct CalleeSlot {
    std::uint32_t sequence = 0;  ///< of the last call that was executed
    BufferId reply = kNoBuffer;  ///< its reply
  };
  std::vector<CalleeSlot> callee_slots;

  // Notifications sent: [sent_base, sent_next) are not all acknowledged.
  std::uint32_t sent_base = 0;
  std::uint32_t sent_next = 0;
  std::uint32_t attempts = 0;    ///< retransmissions since the last progress
  std::vector<BufferId> window;  ///< by number modulo its size; kNoBuffer when acknowledged
  TimerId resend_timer = kNoTimer;
  std::vector<FiberId> window_waiters;  ///< fibers that wait for acknowledgements that make room

  // Notifications received: all before received_base, and received_base + i where `received[i]`.
  std::uint32_t received_base = 0;
  std::bitset<kMostUnacknowledged> received;
  std::uint32_t unacknowledged = 0;
  bool ack_now = false;  ///< peer needs a message at the next flush
  TimerId ack_timer = kNoTimer;
};

}  // namespace verbena::rdma
