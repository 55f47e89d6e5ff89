// Calls that have no answer yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rdma/device/doorbell.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/rpc_sender.h"
#include "rdma/rpc/rpc_sessions.h"
#include "rdma/rpc/rpc_state.h"
#include "rdma/rpc/timer_lists.h"
#include "rdma/rpc/transport/rpc_message.h"

namespace verbena::rdma {

class RpcBatch;

/// The calls of one worker, each of a batch: repeated until answered. Worker-local.
class RpcCalls {
 public:
  /// All arguments must outlive it.
  RpcCalls(RpcState& rpc, RpcSessions& sessions, RpcSender& sender)
      : rpc_(rpc), sessions_(sessions), sender_(sender), owners_(1) {}

  /// Returns the number by which replies find a batch.
  std::uint16_t add_owner(RpcBatch& batch);
  /// Drops replies to the batch's calls from now on.
  void remove_owner(std::uint16_t owner);

  /// Sends a call of a batch to another node. Suspends the fiber while all slots to the peer are
  /// taken. Throws PeerMissing for a peer that is dead, or out of reach.
  void send(RpcBatch& batch, std::size_t index, Doorbell doorbell);

  /// Repeats a call, or ends it after its last repetition.
  void repeat(std::uint32_t number);

  /// Handles a reply.
  void receive(RpcSession& session, const MessageHeader& header,
               std::span<const std::byte> payload);

  /// Ends the calls of all sessions for which `to_be_dropped` is true, without an answer.
  void drop(const std::function<bool(const RpcSession& session)>& to_be_dropped);

  /// Wakes the fibers that wait for a slot of `session`.
  void wake_waiters(RpcSession& session);

  /// True if all calls are answered.
  bool idle() const { return open_ == 0; }

 private:
  struct Call {
    std::uint16_t link;   // of its session
    std::uint16_t owner;  // number of its batch
    std::uint16_t slot;
    std::uint16_t attempts;
    std::uint32_t index;  // in its batch
    std::uint32_t sequence;
    BufferId buffer;
    TimerId timer;
  };

  struct Waiter {
    std::uint16_t link;  // of the session
    FiberId fiber;
  };

  void wait_for_slot(RpcSession& session);
  void wake_first_waiter(RpcSession& session);
  std::uint32_t open(RpcSession& session, RpcBatch& batch, std::size_t index, BufferId buffer);
  void close(std::uint32_t number, std::span<const std::byte> reply, bool answered);

  RpcState& rpc_;
  RpcSessions& sessions_;
  RpcSender& sender_;
  std::vector<RpcBatch*> owners_;  // [0] is unused
  std::vector<std::uint16_t> free_owners_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_calls_;
  std::uint32_t open_ = 0;
  std::vector<Waiter> waiters_;  // for slots, first come first
};

}  // namespace verbena::rdma
