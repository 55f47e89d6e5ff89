// State of the RPCs between a worker and one worker of another node.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/types.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/slot_list.h"
#include "rdma/rpc/timer_lists.h"

namespace verbena::rdma {

/// Stands for the buffer of a message that is never repeated, so that only the transport has it.
inline constexpr BufferId kNotKept = kNoBuffer - 1;

/// Notifications of a session.
struct SessionNotifications {
  explicit SessionNotifications(std::uint32_t first_number)
      : sent_base(first_number), sent_next(first_number), received_base(first_number) {}

  // Sent: [sent_base, sent_next) are not all acknowledged.
  std::uint32_t sent_base;
  std::uint32_t sent_next;
  std::uint32_t attempts = 0;    ///< retransmissions since the last progress
  std::vector<BufferId> window;  ///< by number modulo its size; kNoBuffer when acknowledged
  TimerId resend_timer = kNoTimer;
  std::vector<FiberId> window_waiters;  ///< fibers that wait for acknowledgements that make room

  // Received: all before received_base, and received_base + i where `received[i]`.
  std::uint32_t received_base;
  std::bitset<kMostUnacknowledged> received;
  std::uint32_t unacknowledged = 0;
  bool ack_now = false;  ///< peer needs a message at the next flush
  TimerId ack_timer = kNoTimer;
};

/// Opened when the first message goes to or comes from the peer worker. A large cluster has
/// millions, and each message needs one of them: a cache line, and elsewhere what few need.
struct alignas(kCacheLineBytes) RpcSession {
  NodeId peer;
  WorkerId peer_worker;
  std::uint16_t link;           ///< number of this worker's link to the peer
  std::uint16_t notify_window;  ///< unacknowledged notifications that the peer accepts
  std::uint32_t envelope;       ///< envelope of messages to the peer
  bool unreachable = false;     ///< as the transport told
  bool awaited = false;         ///< fibers wait for a free slot (RpcCalls)

  // The caller's side: a slot carries one call at a time.
  struct CallerSlot {
    std::uint32_t sequence = 0;  ///< of the last call
    std::uint32_t call = UINT32_MAX;
  };
  std::uint64_t busy_slots = 0;
  SlotList<CallerSlot> caller_slots;

  // The callee's side.
  struct CalleeSlot {
    std::uint32_t sequence = 0;  ///< of the last call that was executed
    BufferId reply = kNoBuffer;  ///< its reply
  };
  SlotList<CalleeSlot> callee_slots;

  std::unique_ptr<SessionNotifications> notifications;  ///< made by the first; null: none ever
  /// Returns the state of notifications, which are counted from `first_number` on.
  SessionNotifications& need_notifications(std::uint32_t first_number) {
    if (notifications == nullptr) {
      notifications = std::make_unique<SessionNotifications>(first_number);
    }
    return *notifications;
  }
};
static_assert(sizeof(RpcSession) == kCacheLineBytes);

}  // namespace verbena::rdma
